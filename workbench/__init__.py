"""A research workbench for multi-agent LLM reasoning: ``import workbench as wb``.

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

_HOMES = {
    "agents.bilayer": "bilayer",
    "agents.case": "Case",
    "auditors.accuracy": "diagnostic_accuracy",
    "auditors.audit": "audit",
    "auditors.calibration": "calibration",
    "auditors.preference": "preference",
    "auditors.quality": "quality",
    "auditors.statements": "read_statements",
    "auditors.summary": "summary",
    "datasets.item": "Item",
    "datasets.read": "read_items",
    "deliberation.baselines.chain_of_thought": "chain_of_thought",
    "deliberation.baselines.direct": "direct",
    "deliberation.baselines.mixture_of_agents": "mixture_of_agents",
    "deliberation.baselines.multi_agent_debate": "multi_agent_debate",
    "deliberation.baselines.react": "react",
    "deliberation.baselines.reconcile": "reconcile",
    "deliberation.baselines.self_consistency": "self_consistency",
    "deliberation.baselines.self_discover": "self_discover",
    "deliberation.baselines.self_refine": "self_refine",
    "deliberation.coherence": "coherence_map",
    "deliberation.consultation.binding": "is_current read_output save_output verify_output",
    "deliberation.consultation.comparison": "comparison",
    "deliberation.consultation.consultation": "consultation verification",
    "deliberation.consultation.debated": "debated_consultation debated_topology",
    "deliberation.consultation.facts": "RetrievalPackage",
    "deliberation.consultation.isolation": "isolation",
    "deliberation.consultation.session": "consult_corpus verify_corpus",
    "deliberation.consultation.synthesis": "synthesis",
    "deliberation.facts": "FinalAnswer",
    "deliberation.ingestion.ingested": "ingested",
    "deliberation.ingestion.ingestion": "ingestion",
    "deliberation.maven.gates": "gate_counts",
    "deliberation.maven.maven": "maven",
    "deliberation.maven.separation": "separation",
    "deliberation.maven.workspace": "workspace",
    "engine.commands": "Node all_of ask call consult graph_of post rng within",
    "engine.execution": "Execution",
    "engine.fork": "fork",
    "engine.gate": "Parsed Unparsed ask_json",
    "engine.loop": "wait",
    "engine.protocol": "find_protocol protocol",
    "engine.run": "rerun resume run run_sync",
    "engine.session": "Session",
    "engine.verify": "replay verify",
    "record.diff": "diff",
    "record.events": "Answered Asked Called Consulted Failed Posted Returned RunEnded RunStarted "
    "Said Sampling",
    "record.facts": "Fact",
    "record.parts": "Part",
    "record.run": "Run open_run",
    "record.tables": "tables",
    "views.export": "export",
    "errors": "AuthenticationFailed BadCommand BudgetExceeded CaseError ConnectionFailed "
    "CorpusError DatasetError Diverged DuplicateKey ForkError LMError MalformedReply MissingExtra "
    "ModelNotFound NonConformant ProtocolError RateLimited RequestRejected RequestsForbidden "
    "RunError RunFailed RunFileError RunFileLocked ServerError TimedOut Transient UnknownProtocol "
    "WeightsError WorkbenchError",
    "figures.interval_chart": "plot_intervals",
    "figures.intervals": "mean_difference mean_intervals",
    "figures.runs": "measure_runs",
    "figures.saving": "chart_svg save_chart",
    "experiments.bench": "bench bench_sync read_bench",
    "experiments.consultation_scores": "score_consultations",
    "experiments.consultations": "bench_consultation bench_consultation_sync",
    "experiments.methods": "Method",
    "experiments.prediction_scores": "score_predictions",
    "experiments.predictions_bench": "bench_predictions bench_predictions_sync",
    "experiments.readers": "rule_reader",
    "experiments.scores": "preferences quality_scores",
    "knowledge.corpus": "Corpus",
    "knowledge.embedding": "MiniLM",
    "knowledge.extraction": "extract",
    "knowledge.labels": "read_labels read_questions",
    "knowledge.ledger": "Ledger",
    "knowledge.package": "Packager",
    "knowledge.passport": "Passport",
    "knowledge.retrieval": "Index",
    "knowledge.versions": "versions_of",
    "lm.base": "allow_model_requests",
    "lm.limits": "Budget limited",
    "lm.local": "LocalLM",
    "lm.openai": "OpenAILM",
    "lm.scripted": "ScriptedLM",
    "stats.bootstrap": "bootstrap_difference bootstrap_mean",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> _Any:
    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module 'workbench' has no attribute {name!r}") from None
    value = getattr(_import_module(f"workbench.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
