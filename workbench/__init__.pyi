# The public names with their types.

from workbench.agents.bilayer import bilayer as bilayer
from workbench.agents.case import Case as Case
from workbench.auditors.accuracy import diagnostic_accuracy as diagnostic_accuracy
from workbench.auditors.audit import audit as audit
from workbench.auditors.calibration import calibration as calibration
from workbench.auditors.preference import preference as preference
from workbench.auditors.quality import quality as quality
from workbench.auditors.statements import read_statements as read_statements
from workbench.auditors.summary import summary as summary
from workbench.datasets.item import Item as Item
from workbench.datasets.read import read_items as read_items
from workbench.deliberation.baselines.chain_of_thought import chain_of_thought as chain_of_thought
from workbench.deliberation.baselines.direct import direct as direct
from workbench.deliberation.baselines.mixture_of_agents import (
    mixture_of_agents as mixture_of_agents,
)
from workbench.deliberation.baselines.multi_agent_debate import (
    multi_agent_debate as multi_agent_debate,
)
from workbench.deliberation.baselines.react import react as react
from workbench.deliberation.baselines.reconcile import reconcile as reconcile
from workbench.deliberation.baselines.self_consistency import self_consistency as self_consistency
from workbench.deliberation.baselines.self_discover import self_discover as self_discover
from workbench.deliberation.baselines.self_refine import self_refine as self_refine
from workbench.deliberation.coherence import coherence_map as coherence_map
from workbench.deliberation.consultation.binding import is_current as is_current
from workbench.deliberation.consultation.binding import read_output as read_output
from workbench.deliberation.consultation.binding import save_output as save_output
from workbench.deliberation.consultation.binding import verify_output as verify_output
from workbench.deliberation.consultation.comparison import comparison as comparison
from workbench.deliberation.consultation.consultation import consultation as consultation
from workbench.deliberation.consultation.consultation import verification as verification
from workbench.deliberation.consultation.debated import debated_consultation as debated_consultation
from workbench.deliberation.consultation.debated import debated_topology as debated_topology
from workbench.deliberation.consultation.facts import RetrievalPackage as RetrievalPackage
from workbench.deliberation.consultation.isolation import isolation as isolation
from workbench.deliberation.consultation.session import consult_corpus as consult_corpus
from workbench.deliberation.consultation.session import verify_corpus as verify_corpus
from workbench.deliberation.consultation.synthesis import synthesis as synthesis
from workbench.deliberation.facts import FinalAnswer as FinalAnswer
from workbench.deliberation.ingestion.ingested import ingested as ingested
from workbench.deliberation.ingestion.ingestion import ingestion as ingestion
from workbench.deliberation.maven.gates import gate_counts as gate_counts
from workbench.deliberation.maven.maven import maven as maven
from workbench.deliberation.maven.separation import separation as separation
from workbench.deliberation.maven.workspace import workspace as workspace
from workbench.engine.commands import Node as Node
from workbench.engine.commands import all_of as all_of
from workbench.engine.commands import ask as ask
from workbench.engine.commands import call as call
from workbench.engine.commands import consult as consult
from workbench.engine.commands import graph_of as graph_of
from workbench.engine.commands import post as post
from workbench.engine.commands import rng as rng
from workbench.engine.commands import within as within
from workbench.engine.execution import Execution as Execution
from workbench.engine.fork import fork as fork
from workbench.engine.gate import Parsed as Parsed
from workbench.engine.gate import Unparsed as Unparsed
from workbench.engine.gate import ask_json as ask_json
from workbench.engine.loop import wait as wait
from workbench.engine.protocol import find_protocol as find_protocol
from workbench.engine.protocol import protocol as protocol
from workbench.engine.run import rerun as rerun
from workbench.engine.run import resume as resume
from workbench.engine.run import run as run
from workbench.engine.run import run_sync as run_sync
from workbench.engine.session import Session as Session
from workbench.engine.verify import replay as replay
from workbench.engine.verify import verify as verify
from workbench.errors import AuthenticationFailed as AuthenticationFailed
from workbench.errors import BadCommand as BadCommand
from workbench.errors import BudgetExceeded as BudgetExceeded
from workbench.errors import CaseError as CaseError
from workbench.errors import ConnectionFailed as ConnectionFailed
from workbench.errors import CorpusError as CorpusError
from workbench.errors import DatasetError as DatasetError
from workbench.errors import Diverged as Diverged
from workbench.errors import DuplicateKey as DuplicateKey
from workbench.errors import ForkError as ForkError
from workbench.errors import LMError as LMError
from workbench.errors import MalformedReply as MalformedReply
from workbench.errors import MissingExtra as MissingExtra
from workbench.errors import ModelNotFound as ModelNotFound
from workbench.errors import NonConformant as NonConformant
from workbench.errors import ProtocolError as ProtocolError
from workbench.errors import RateLimited as RateLimited
from workbench.errors import RequestRejected as RequestRejected
from workbench.errors import RequestsForbidden as RequestsForbidden
from workbench.errors import RunError as RunError
from workbench.errors import RunFailed as RunFailed
from workbench.errors import RunFileError as RunFileError
from workbench.errors import RunFileLocked as RunFileLocked
from workbench.errors import ServerError as ServerError
from workbench.errors import TimedOut as TimedOut
from workbench.errors import Transient as Transient
from workbench.errors import UnknownProtocol as UnknownProtocol
from workbench.errors import WeightsError as WeightsError
from workbench.errors import WorkbenchError as WorkbenchError
from workbench.experiments.bench import bench as bench
from workbench.experiments.bench import bench_sync as bench_sync
from workbench.experiments.bench import read_bench as read_bench
from workbench.experiments.consultation_scores import score_consultations as score_consultations
from workbench.experiments.consultations import bench_consultation as bench_consultation
from workbench.experiments.consultations import bench_consultation_sync as bench_consultation_sync
from workbench.experiments.methods import Method as Method
from workbench.experiments.prediction_scores import score_predictions as score_predictions
from workbench.experiments.predictions_bench import bench_predictions as bench_predictions
from workbench.experiments.predictions_bench import bench_predictions_sync as bench_predictions_sync
from workbench.experiments.readers import rule_reader as rule_reader
from workbench.experiments.scores import preferences as preferences
from workbench.experiments.scores import quality_scores as quality_scores
from workbench.figures.interval_chart import plot_intervals as plot_intervals
from workbench.figures.intervals import mean_difference as mean_difference
from workbench.figures.intervals import mean_intervals as mean_intervals
from workbench.figures.runs import measure_runs as measure_runs
from workbench.figures.saving import chart_svg as chart_svg
from workbench.figures.saving import save_chart as save_chart
from workbench.knowledge.corpus import Corpus as Corpus
from workbench.knowledge.embedding import MiniLM as MiniLM
from workbench.knowledge.extraction import extract as extract
from workbench.knowledge.labels import read_labels as read_labels
from workbench.knowledge.labels import read_questions as read_questions
from workbench.knowledge.ledger import Ledger as Ledger
from workbench.knowledge.package import Packager as Packager
from workbench.knowledge.passport import Passport as Passport
from workbench.knowledge.retrieval import Index as Index
from workbench.knowledge.versions import versions_of as versions_of
from workbench.lm.base import allow_model_requests as allow_model_requests
from workbench.lm.limits import Budget as Budget
from workbench.lm.limits import limited as limited
from workbench.lm.local import LocalLM as LocalLM
from workbench.lm.openai import OpenAILM as OpenAILM
from workbench.lm.scripted import ScriptedLM as ScriptedLM
from workbench.record.diff import diff as diff
from workbench.record.events import Answered as Answered
from workbench.record.events import Asked as Asked
from workbench.record.events import Called as Called
from workbench.record.events import Consulted as Consulted
from workbench.record.events import Failed as Failed
from workbench.record.events import Posted as Posted
from workbench.record.events import Returned as Returned
from workbench.record.events import RunEnded as RunEnded
from workbench.record.events import RunStarted as RunStarted
from workbench.record.events import Said as Said
from workbench.record.events import Sampling as Sampling
from workbench.record.facts import Fact as Fact
from workbench.record.parts import Part as Part
from workbench.record.run import Run as Run
from workbench.record.run import open_run as open_run
from workbench.record.tables import tables as tables
from workbench.stats.bootstrap import bootstrap_difference as bootstrap_difference
from workbench.stats.bootstrap import bootstrap_mean as bootstrap_mean
from workbench.views.export import export as export

__all__ = [
    "Answered",
    "Asked",
    "AuthenticationFailed",
    "BadCommand",
    "Budget",
    "BudgetExceeded",
    "Called",
    "Case",
    "CaseError",
    "ConnectionFailed",
    "Consulted",
    "Corpus",
    "CorpusError",
    "DatasetError",
    "Diverged",
    "DuplicateKey",
    "Execution",
    "Fact",
    "Failed",
    "FinalAnswer",
    "ForkError",
    "Index",
    "Item",
    "LMError",
    "Ledger",
    "LocalLM",
    "MalformedReply",
    "Method",
    "MiniLM",
    "MissingExtra",
    "ModelNotFound",
    "Node",
    "NonConformant",
    "OpenAILM",
    "Packager",
    "Parsed",
    "Part",
    "Passport",
    "Posted",
    "ProtocolError",
    "RateLimited",
    "RequestRejected",
    "RequestsForbidden",
    "RetrievalPackage",
    "Returned",
    "Run",
    "RunEnded",
    "RunError",
    "RunFailed",
    "RunFileError",
    "RunFileLocked",
    "RunStarted",
    "Said",
    "Sampling",
    "ScriptedLM",
    "ServerError",
    "Session",
    "TimedOut",
    "Transient",
    "UnknownProtocol",
    "Unparsed",
    "WeightsError",
    "WorkbenchError",
    "all_of",
    "allow_model_requests",
    "ask",
    "ask_json",
    "audit",
    "bench",
    "bench_consultation",
    "bench_consultation_sync",
    "bench_predictions",
    "bench_predictions_sync",
    "bench_sync",
    "bilayer",
    "bootstrap_difference",
    "bootstrap_mean",
    "calibration",
    "call",
    "chain_of_thought",
    "chart_svg",
    "coherence_map",
    "comparison",
    "consult",
    "consult_corpus",
    "consultation",
    "debated_consultation",
    "debated_topology",
    "diagnostic_accuracy",
    "diff",
    "direct",
    "export",
    "extract",
    "find_protocol",
    "fork",
    "gate_counts",
    "graph_of",
    "ingested",
    "ingestion",
    "is_current",
    "isolation",
    "limited",
    "maven",
    "mean_difference",
    "mean_intervals",
    "measure_runs",
    "mixture_of_agents",
    "multi_agent_debate",
    "open_run",
    "plot_intervals",
    "post",
    "preference",
    "preferences",
    "protocol",
    "quality",
    "quality_scores",
    "react",
    "read_bench",
    "read_items",
    "read_labels",
    "read_output",
    "read_questions",
    "read_statements",
    "reconcile",
    "replay",
    "rerun",
    "resume",
    "rng",
    "rule_reader",
    "run",
    "run_sync",
    "save_chart",
    "save_output",
    "score_consultations",
    "score_predictions",
    "self_consistency",
    "self_discover",
    "self_refine",
    "separation",
    "summary",
    "synthesis",
    "tables",
    "verification",
    "verify",
    "verify_corpus",
    "verify_output",
    "versions_of",
    "wait",
    "within",
    "workspace",
]
