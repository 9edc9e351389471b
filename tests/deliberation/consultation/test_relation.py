"""What rules can tell of two conclusions: the same whichever comes first, and nothing by guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.deliberation.consultation import stems, wording
from workbench.deliberation.consultation.quantities import Day, Quantity, stated
from workbench.deliberation.consultation.reading import read_conclusion
from workbench.deliberation.consultation.relation import RULES, relate

COMPATIBLE, CONTRADICTORY = "compatible", "contradictory"
OTHER, UNDECIDED = "different_question", "undecided"

CASES = [
    ("Notice is 30 days.", "notice is  30 DAYS", COMPATIBLE, "words"),
    ("Notice is 30 days.", "The notice is thirty days.", COMPATIBLE, "values"),
    ("The notice of staff is 30 days.", "Staff notice: 30 days", COMPATIBLE, "values"),
    ("within two weeks", "within 14 days", COMPATIBLE, "values"),
    ("No more than 5 days.", "At most five days", COMPATIBLE, "values"),
    ("The deadline is 1 March 2024.", "March 1, 2024 is the deadline.", COMPATIBLE, "values"),
    ("The fee is 10 pounds a day.", "The fee is £10 per day.", COMPATIBLE, "values"),
    ("A visit lasts 90 minutes.", "A visit lasts 1.5 hours.", COMPATIBLE, "values"),
    ("The pipe is 5 m long.", "The pipe is 5 metres long.", COMPATIBLE, "values"),
    ("It costs $5m.", "It costs 5 million dollars.", COMPATIBLE, "values"),
    ("The desk opens at 5 pm.", "The desk opens at 17:00", COMPATIBLE, "values"),
    ("Staff give eight weeks' notice.", "Staff give 8 weeks of notice", COMPATIBLE, "values"),
    ("Yes.", "Yes, it may.", COMPATIBLE, "content"),
    ("Remote work is not forbidden.", "Remote work is permitted.", COMPATIBLE, "content"),
    ("Managers approve the travels", "The manager approves travel", COMPATIBLE, "content"),
    ("It is not specified.", "The passages do not mention it.", COMPATIBLE, "stated_or_not"),
    ("Notice is 30 days.", "The notice is sixty days.", CONTRADICTORY, "numbers"),
    ("It costs $1,200.", "It costs 1300 dollars.", CONTRADICTORY, "numbers"),
    ("The limit is -5 percent.", "The limit is 5 percent.", CONTRADICTORY, "numbers"),
    ("The fee is 10 euros a day.", "The fee is 20 euros per day.", CONTRADICTORY, "numbers"),
    ("Staff are paid 40 pence.", "Staff are paid 45 pence.", CONTRADICTORY, "numbers"),
    ("Deadline: 1 March", "Deadline: 1 April", CONTRADICTORY, "dates"),
    ("Smoking is allowed.", "Smoking is prohibited.", CONTRADICTORY, "negation"),
    ("Staff can park.", "Staff can't park.", CONTRADICTORY, "negation"),
    ("Staff can park in the yard.", "Staff can't park in the yard.", CONTRADICTORY, "negation"),
    ("The written notice is given.", "The written notice is not given.", CONTRADICTORY,
     "negation"),
    ("It is not the case: Some staff may park.", "Some staff may park.", CONTRADICTORY, "negation"),
    ("Yes.", "No, it is not.", CONTRADICTORY, "yes_or_no"),
]  # fmt: skip

DOUBTFUL = [
    # equal figures, and other words besides
    ("Notice is 30 days.", "The notice period is thirty days."),
    ("30 days", "Staff must give thirty days' notice."),
    (
        "Leave over 5 days is approved by the manager.",
        "Leave over 5 days is approved by the chair.",
    ),
    ("Yes, the manager approves it.", "Yes, the director approves it."),
    ("The CFO approves expenses", "The CEO approves expenses"),
    ("Managers approve directors", "Directors approve managers"),
    ("Signed by two trustees.", "Signed by two directors."),
    ("Anna leads it since 2020.", "Ben leads it since 2020."),
    ("Room 12 is for staff.", "Room 12 is for visitors."),
    ("The form is HR-7.", "The form is FIN-7."),
    ("The notice is 30 days.", "The notice is 30 days longer than before."),
    ("Only 5 days may be moved.", "Up to 5 days may be moved."),
    ("Staff are paid 5 pounds.", "Staff pay 5 pounds."),
    # another unit, half of the day, bound, direction or period
    ("The desk opens at 9 am.", "The desk opens at 9 pm."),
    ("Notice is 20 working days.", "Notice is 30 days."),
    ("The rate increases by 5 percent.", "The rate decreases by 5 percent."),
    ("The fee is 10 pounds a day.", "The fee is 10 pounds a week."),
    ("Meals are reimbursed up to 40 pounds.", "Meals are reimbursed from 40 pounds."),
    ("It is 30 days before the start.", "It is 30 days after the start."),
    ("The room is for -5 degrees.", "The room is for 5 degrees."),
    ("Keep it for 3-5 years.", "Keep it for 3.5 years."),
    ("Ask if it is > 5 days.", "Ask if it is < 5 days."),
    ("At least 20 days", "30 days"),
    ("At most 30 days.", "At least 30 days."),
    ("The deadline is 1 March 2024.", "The deadline is March 1."),
    # both may hold
    ("Leave over 5 days is approved by the chair.", "Leave over 9 days is approved by the chair."),
    ("Room 12 is for staff.", "Room 14 is for staff."),
    ("Members may bring 2 guests.", "Members may bring 3 guests."),
    ("Notice is 30 days.", "Notice is 60 days if you lead a team."),
    ("If notice is 30 days, it is paid.", "If notice is 60 days, it is paid."),
    ("Staff who have 5 years get a watch.", "Staff who have 9 years get a watch."),
    ("Leave may be moved.", "Leave may not be moved unless approved."),
    ("Leave may be moved.", "Leave may be moved only with approval."),
    ("Some staff may park.", "Some staff may not park."),
    ("Requests are approved.", "Requests are refused."),
    ("Staff do not have to work.", "Staff do not work."),
    ("Yes, if it is approved.", "No, unless it is approved."),
    ("The fee is noted.", "The fee is not."),
    ("Managers plan the rota.", "Expenses are paid monthly."),
    # may be, or sometimes is
    ("Approval may be needed.", "Approval may not be needed."),
    ("Notice is sometimes 30 days.", "Notice is sometimes 60 days."),
    ("Provided they ask, notice is 30 days.", "Provided they ask, notice is 60 days."),
    ("Staff leave because it is Friday.", "Staff do not leave because it is Friday."),
    # one of many
    ("A holiday is 1 May.", "A holiday is 3 October."),
    ("One of the fees is $5.", "One of the fees is $6."),
    ("Another date is 3 May.", "Another date is 4 May."),
    ("Some rooms cost $50.", "Some rooms cost $60."),
    # yes and no to what?
    ("Yes, up to five days.", "No, leave cannot be moved."),
    ("Yes, managers may.", "No, staff may not."),
    ("Yes, for managers.", "No, for staff."),
    ("Yes, staff can work from home.", "No, contractors can not work from home."),
    ("Yes, there is no limit.", "No, there is no limit."),
    ("Yes, that is not allowed.", "No, that is not allowed."),
    ("No, staff pay.", "Staff pay."),
    # what is cited
    ("Notice is 30 days [1].", "Notice is 30 days [3]."),
    ("Notice is 30 days (2).", "Notice is 30 days (3)."),
    ("Two passages say notice is 30 days.", "Three passages say notice is 30 days."),
    # figures that can be read in two ways
    ("The deadline is 03.04.2025.", "The deadline is 3.4.2025."),
    ("The fee is EUR 1.500.", "The fee is EUR 1500."),
    ("The fee is 1.500 euros.", "The fee is 1,500 euros."),
    ("The ratio is 1:2.", "The ratio is 2:4."),
    ("Notice is 5 working days.", "Notice is one working week."),
    ("The limit is - 5.", "The limit is -5."),
    ("Opening hours are 9:00-5:00.", "Opening hours are 9:00-17:00."),
    ("Closing is 5:00.", "Closing is 17:00."),
    # figures and letters that are names
    ("Section 4.1 applies to staff.", "Section 4.10 applies to staff."),
    ("The version is 1.1.", "The version is 1.10."),
    ("IP 10.0.0.1 is blocked for staff.", "IP 10.0.0.10 is blocked for staff."),
    ("The PIN is 0420.", "The PIN is 420."),
    ("The code is 007.", "The code is 7."),
    ("Plan A covers dental care.", "Plan covers dental care."),
    ("Plan A costs $5.", "The plan costs $6."),
    # another order of words
    ("The dollar euro rate is 1.1.", "The euro dollar rate is 1.1."),
    ("The head of staff is 5.", "The staff of head is 5."),
    # two figures, of which one is a condition or a name
    (
        "The refund is 100% 60 days before arrival.",
        "The refund is 50% 30 days before arrival.",
    ),
    ("The 2024 allowance is 500 euros.", "The 2025 allowance is 600 euros."),
    ("The 2024 fee is 50 euros.", "The 2025 fee is 50 euros."),
    ("The discount is 5% within 10 days.", "The discount is 2% within 30 days."),
    ("The target is 50% by 2030.", "The target is 100% by 2050."),
    ("The fee is 20 euros up to 10 days.", "The fee is 35 euros up to 20 days."),
    ("The 3-year warranty costs 50 euros.", "The 5-year warranty costs 80 euros."),
    ("The 1 May payment is 100 euros.", "The 1 June payment is 200 euros."),
    ("Staff get 30 days and managers 60 days.", "Staff get 60 days and managers 30 days."),
    # one, and not what is stated
    ("12 is free.", "14 is free."),
    ("Staff who already have 5 years qualify.", "Staff who already have 9 years qualify."),
    ("It is for staff who have 5 years.", "It is for staff who have 9 years."),
    ("Notice is 30 days or more.", "Notice is 60 days or more."),
    ("Drivers and guests have 2 seats.", "Drivers and guests have 3 seats."),
    ("Claims are paid within 30 days.", "Claims are paid within 60 days."),
    ("The hall was built in 1990.", "The hall was built in 1991."),
    ("Holidays are 1 May.", "Holidays are 3 October."),
    ("The fee is not 50 euros.", "The fee is not 60 euros."),
    ("The fee is at most 50 euros.", "The fee is at most 60 euros."),
    ("Three quarters of members must agree.", "The majority is 75%."),
    # not to do is no prohibition, and no is not not
    ("Employees can choose not to attend.", "Employees can choose to attend."),
    ("Staff are allowed not to attend.", "Staff are allowed to attend."),
    ("Staff have the right not to work on Sundays.", "Staff have the right to work on Sundays."),
    ("No leave can be carried over.", "Leave can be carried over."),
    # an answer word before a sentence
    ("No, smoking is allowed.", "No smoking is allowed."),
    ("No, the smoking is permitted.", "No smoking is allowed."),
    ("No - smoking is allowed.", "No smoking is allowed."),
    ("No, smoking is allowed.", "Smoking is allowed."),
    ("Yes, staff pay.", "No, staff pay."),
    ("Yes, the fee is 5 euros.", "Yes, the fee is 6 euros."),
    # true where nothing is stated, or said of another passage
    ("The passages do not say.", "No."),
    ("Not mentioned.", "No, it is not."),
    ("No amount is given.", "Yes."),
    ("No date is given.", "14 days"),
    ("P2 does not say.", "Notice is 30 days."),
    ("P1 does not say.", "P2 does not say."),
    ("The passages do not say.", "P2 does not say."),
    ("The passages do not say.", "No figure is given."),
    ("The passages do not say.", "Up to 30 days"),
    # neither known to say that it is not there, nor clear
    ("The passages do not say.", "Breakfast is not included."),
    ("The passages do not say.", "This is not covered."),
    ("The passages do not say.", "The notice period is not given."),
    ("The passages do not say.", "The passages do not mention managers."),
    ("The passages do not say.", "None."),
    ("The passages do not say.", "There is no limit."),
    ("The passages do not say.", "It is hard to tell."),
    ("The passages do not say.", "The rules are unclear."),
    ("The passages do not say.", "The passages say 30 days."),
    ("The passages do not say.", "No, the passages do not say."),
    ("The passages do not say.", "Remote work is allowed."),
    ("The passages do not say.", "No, staff may not."),
    *(
        ("Not stated.", text)
        for text in (
            "Pet policy is missing from the handbook.",
            "Pets are absent from the handbook.",
            "The topic is outside the handbook.",
            "The policy is ambiguous.",
            "The evidence is insufficient.",
            "The amount is to be confirmed.",
            "Further clarification is needed.",
            "No, there is no policy on pets.",
            "No, there is no limit.",
        )
    ),
    # two figures that may answer one question, also of two kinds
    ("Notice is 30 days.", "The period lasts two months."),
    ("The deposit is 20%.", "The down payment is 100 euros."),
    ("The reward is 50 euros.", "Staff get one day off."),
    ("Travel allowed within 10 km.", "Maximum commute is 30 minutes."),
    # said of a part, of some, or under a condition
    ("Certain rooms cost $50.", "Certain rooms cost $60."),
    ("The notice of staff is 30 days.", "The notice of staff is 60 days."),
    ("A visit lasts 90 minutes.", "A visit lasts 60 minutes."),
    ("Otherwise, notice is 30 days.", "Otherwise, notice is 60 days."),
    ("Otherwise notice is 30 days.", "Otherwise notice is 60 days."),
    ("After staff have 5 years of service, they get a watch.",
     "After staff have 10 years of service, they get a watch."),
    ("In case the order is 50 euros, shipping is free.",
     "In case the order is 100 euros, shipping is free."),
    ("Whenever the balance is 5 days, staff are told.",
     "Whenever the balance is 10 days, staff are told."),
    ("Notice is 30 days minimum.", "Notice is 60 days minimum."),
    ("Training is 20 hours a year minimum.", "Training is 30 hours a year minimum."),
    ("The fee is 50 euros per person minimum.", "The fee is 60 euros per person minimum."),
    ("The fee is 50 euros per night upwards.", "The fee is 60 euros per night upwards."),
    ("Notice is 30 days at least.", "Notice is 60 days at least."),
    ("Staff who use their own car are paid 40 pence.",
     "Staff who use their own car are paid 45 pence."),
    # a correction of what was asked
    ("It is not so: parking is free.", "Parking is free."),
    ("It is not true: probation lasts 6 months.", "Probation lasts 6 months."),
    ("It is false: overtime is paid.", "Overtime is paid."),
    # what will be
    ("The fee will be 60 euros.", "The fee is 60 euros."),
    ("The canteen will not be open.", "The canteen is open."),
    ("Smoking will be prohibited.", "Smoking is allowed."),
    ("Reports must be submitted by 30 June.", "Reports must be submitted by 31 December."),
    ("Few employees qualify.", "A few employees qualify."),
    *(
        (text, text.replace(verb, f"{verb} not"))
        for text, verb in (
            ("Certain expenses are reimbursed.", "are"),
            ("In certain cases, approval is required.", "is"),
            ("Approval is required in certain cases.", "is"),
            ("Part of the fee is refunded.", "is"),
            ("A portion of the leave can be carried over.", "can"),
            ("A portion is refunded.", "is"),
            ("Others are refunded.", "are"),
            ("Two members are allowed to vote.", "are"),
            ("Occasionally, remote work is permitted.", "is"),
            ("The office is open at times.", "is"),
            ("The room has certain windows.", "has"),
            ("Managers decide whether leave is paid.", "is"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), DOUBTFUL)
def test_no_rule_decides_what_is_in_doubt(one: str, other: str) -> None:
    """A comparer cannot overrule a rule, so that rules leave to it what they cannot be sure of."""
    a, b = read_conclusion("Q1", one), read_conclusion("Q1", other)

    assert (UNDECIDED, "") == relate(a, b) == relate(b, a)
    assert a.id != b.id


@pytest.mark.parametrize(("one", "other", "kind", "rule"), CASES)
def test_a_rule_decides(one: str, other: str, kind: str, rule: str) -> None:
    """Each rule has pairs that it decides, in either order; what no rule decides is undecided."""
    a, b = read_conclusion("Q1", one), read_conclusion("Q1", other)

    assert (kind, rule) == relate(a, b) == relate(b, a)


@pytest.mark.parametrize(
    ("asked", "one", "other", "rule"),
    [
        ("Is remote work allowed?", "Remote work is allowed.", "Remote work is prohibited.",
         "negation"),
        ("May staff work from home?", "Staff are allowed to work from home.",
         "Staff are not allowed to work from home.", "negation"),
        ("How long is annual leave?", "Annual leave is 25 days.", "Annual leave is 27 days.",
         "numbers"),
        ("By when must carried leave be taken?", "Carried leave must be taken by 30 June.",
         "Carried leave must be taken by 30 September.", "dates"),
        ("What is the notice period of staff?", "The notice period of staff is 30 days.",
         "The notice period of staff is 60 days.", "numbers"),
        ("How many days of annual leave do staff have?",
         "Staff have 25 days of annual leave in each leave year.",
         "Staff have 27 days of annual leave in each leave year.", "numbers"),
    ],
)  # fmt: skip
def test_the_words_of_the_question_are_sure(asked: str, one: str, other: str, rule: str) -> None:
    """A subject that the sub-query itself names is what was asked about, and no part of it."""
    a, b = (read_conclusion("Q1", text, asked=asked) for text in (one, other))
    c, d = (read_conclusion("Q1", text, asked="What holds?") for text in (one, other))

    assert ((CONTRADICTORY, rule), UNDECIDED) == (relate(a, b), relate(c, d).kind)


@pytest.mark.parametrize(
    ("asked", "one", "other", "kind"),
    [
        ("How long is the notice?", "30 days", "sixty days", CONTRADICTORY),
        ("After how many months?", "more than six months", "more than 12 months", CONTRADICTORY),
        ("What is the deadline?", "30 June", "31 December", CONTRADICTORY),
        ("By when must carried leave be taken?", "30 June", "30 September", CONTRADICTORY),
        ("Above what amount are quotations needed?", "2,000 pounds", "$5", UNDECIDED),
        ("Above what amount are quotations needed?", "$2,000", "$5,000", CONTRADICTORY),
        ("How much is paid for each mile?", "40 pence", "45 pence", CONTRADICTORY),
        ("How much does each team get?", "40 pounds", "45 pounds", UNDECIDED),
        ("How long are the breaks?", "15 minutes", "30 minutes", UNDECIDED),
        ("How long do breaks last?", "15 minutes", "30 minutes", UNDECIDED),
        ("At what time are meals served?", "12 pm", "6 pm", UNDECIDED),
        ("How much are the parking fees?", "50 euros", "80 euros", UNDECIDED),
        ("How many days of leave do staff get depending on grade?", "25 days", "30 days",
         UNDECIDED),
        ("What is the fee by category?", "30 euros", "60 euros", UNDECIDED),
        ("How long is the notice for staff as well as managers?", "30 days", "60 days", UNDECIDED),
        ("How much is the fee for residents vs non-residents?", "25 euros", "15 euros", UNDECIDED),
        ("How many days may employees carry over?", "5 days", "10 days", CONTRADICTORY),
        ("How many approve what is over 2,000 pounds?", "2", "3", CONTRADICTORY),
        # days may be of work
        ("How much annual leave do full-time staff get?", "25 days", "5 weeks", UNDECIDED),
        ("How much annual leave do full-time staff get?", "35 days", "5 weeks", COMPATIBLE),
        ("How much annual leave do full-time staff get?", "4 weeks", "5 weeks", CONTRADICTORY),
        ("How long is leave?", "Annual leave is 5 weeks.", "Annual leave is 25 days.", UNDECIDED),
        # what is not said may be what was asked
        ("What information is given to callers about staff?", "No information is given.",
         "The passages do not say.", UNDECIDED),
        ("Can the balance be determined?", "It cannot be determined.", "Not stated.", UNDECIDED),
        # yes may be no
        ("Do staff not need approval?", "Yes.", "No, they do not.", UNDECIDED),
        ("Don't staff need approval?", "Yes.", "No.", UNDECIDED),
        ("Is parking free on weekdays and on Sundays?", "Yes.", "No.", UNDECIDED),
        ("Is parking free?", "Yes.", "No.", CONTRADICTORY),
        ("For full-time staff, how many days of leave are granted?", "25 days", "30 days",
         CONTRADICTORY),
        ("How long is notice for staff, managers?", "25 days", "30 days", UNDECIDED),
        ("By when must progress reports be sent?", "30 June", "31 December", UNDECIDED),
        ("What is the fee?", "The fee is $5.", "The fee is $7.", CONTRADICTORY),
        ("How long is the notice?", "30 days", "one month", UNDECIDED),
        ("What is asked?", "30 days", "60 days", UNDECIDED),
        ("", "30 days", "60 days", UNDECIDED),
        ("Which days are public holidays?", "1 May", "25 December", UNDECIDED),
        ("What are the opening hours?", "9 am", "5 pm", UNDECIDED),
        ("What are the opening hours?", "Opening hours: 9 am", "Opening hours: 5 pm", UNDECIDED),
        ("When is the office closed?", "1 May", "25 December", UNDECIDED),
        ("What are the fees?", "The fee is $5.", "The fee is $7.", UNDECIDED),
        ("How long is the visit on weekdays and on Sundays?", "2 hours", "3 hours", UNDECIDED),
        ("How much leave do staff or interns get?", "25 days", "12 days", UNDECIDED),
        ("When must progress reports be submitted?",
         "Progress reports must be submitted by 30 June.",
         "Progress reports must be submitted by 31 December.", UNDECIDED),
    ],
)  # fmt: skip
def test_two_figures_contradict_where_one_was_asked_for(
    asked: str, one: str, other: str, kind: str
) -> None:
    """A question that has several answers has several right ones."""
    a, b = (read_conclusion("Q1", text, asked=asked) for text in (one, other))

    assert kind == relate(a, b).kind == relate(b, a).kind


@pytest.mark.parametrize(
    ("asked", "one", "other", "options", "kind"),
    [
        ("What is the notice?", "Not stated", "30 days", ("30 days", "60 days", "Not stated"),
         UNDECIDED),
        ("What is the notice?", "Not stated", "The passages do not say.", ("30 days", "Not stated"),
         COMPATIBLE),
        ("Is parking free?", "Yes", "Not stated", ("Yes", "No", "Not stated"), UNDECIDED),
        ("Which days are holidays?", "Monday", "Tuesday", ("Monday", "Tuesday", "Friday"),
         UNDECIDED),
        ("Which day is a holiday?", "Monday", "Tuesday", ("Monday", "Tuesday", "Friday"),
         CONTRADICTORY),
        ("What must be worn?", "Gloves", "All of these", ("Gloves", "Goggles", "All of these"),
         UNDECIDED),
        ("Who approves?", "Both", "The manager", ("The manager", "HR", "Both"), UNDECIDED),
    ],
)  # fmt: skip
def test_some_options_exclude_no_other(
    asked: str, one: str, other: str, options: tuple[str, ...], kind: str
) -> None:
    """Several may be right, one may hold others, and one may say that nothing is said."""
    a, b = (read_conclusion("Q1", text, options, asked=asked) for text in (one, other))

    assert kind == relate(a, b).kind == relate(b, a).kind


def test_words_are_listed_as_they_stand_in_a_key() -> None:
    """A list that is looked up in stems holds stems."""
    listed = (wording._CONDITION, wording._MANY, stems.LINKS, stems.PRONOUNS)

    assert [] == [w for words in listed for w in words if stems.base(w) != w]


def test_every_rule_has_a_case() -> None:
    """The table above, and the two tests below, leave no rule out."""
    assert set(RULES) == {c[3] for c in CASES} | {"options", "sub_query"}


@pytest.mark.parametrize(
    ("one", "other", "kind", "rule"),
    [
        ("Travel must be approved.", "Staff notice is 30 days.", OTHER, "sub_query"),
        ("It must be approved.", "Staff notice is 30 days.", UNDECIDED, ""),
        ("The notice of staff is 30 days.", "The notice of staff is 30 days.", UNDECIDED, ""),
        ("Staff notice is 30 days.", "Staff notice is 60 days.", UNDECIDED, ""),
        ("The maximum amount is 50 euros.", "The maximum amount is 120 euros.", UNDECIDED, ""),
        ("Approval is required.", "Approval is not required.", UNDECIDED, ""),
        ("30 days", "30 days", UNDECIDED, ""),
        ("30 days", "60 days", UNDECIDED, ""),
        ("It is the manager.", "It is the manager.", UNDECIDED, ""),
        ("Yes.", "No.", UNDECIDED, ""),
        ("The passages do not say.", "Staff notice is 60 days.", UNDECIDED, ""),
    ],
)
def test_sub_queries_tell_only_with_more(one: str, other: str, kind: str, rule: str) -> None:
    """What a conclusion is about may stand in its sub-query alone."""
    a, b = read_conclusion("Q1", one), read_conclusion("Q2", other)

    assert (kind, rule) == relate(a, b) == relate(b, a)


@pytest.mark.parametrize("other", ["30 days", "60 days", "Staff notice is 30 days."])
def test_nobody_knows_what_no_sub_query_is_about(other: str) -> None:
    """A label that cannot be resolved is no home that two conclusions have in common."""
    a = read_conclusion("", "30 days")

    for label in ("", "Q1"):
        b = read_conclusion(label, other)
        assert (UNDECIDED, "") == relate(a, b) == relate(b, a)


@pytest.mark.parametrize(
    "text",
    [
        "The passages do not answer this question.",
        "The passages do not address this.",
        "The passages don't say so.",
        "The corpus does not contain any information about it.",
        "The provided passages do not contain the answer.",
        "None of the passages mention this.",
        "Nothing is said about it.",
        "Not enough information.",
        "No information.",
        "There is no mention of it.",
        "Not specified",
        "It cannot be determined from the passages.",
        "The answer is not in the text.",
        "The handbook is silent on this.",
        "The passages do not provide this information.",
        "The passages do not contain an answer to this question.",
        "Neither passage states this.",
        "Not stated in the handbook.",
        "Not mentioned in the handbook.",
        "The policy does not address this.",
    ],
)
def test_who_says_that_it_is_not_there_says_the_same(text: str) -> None:
    """In the wordings that are known."""
    a, b = read_conclusion("Q1", text), read_conclusion("Q1", "Not stated.")

    assert (COMPATIBLE, "stated_or_not") == relate(a, b) == relate(b, a)


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("The passages do not say how long the notice is.", True),
        ("The notice period is not given.", True),
        ("Managers are not mentioned.", True),
        ("The passages do not mention a limit, so any gift is fine.", False),
        ("The passages do not say more than 30 days.", False),
        ("Breakfast is not included.", False),
        ("This is not covered.", False),
        ("Notice is not given in writing.", False),
        ("The policy does not cover dental care.", False),
        ("Nothing.", False),
    ],
)
def test_what_is_not_there_may_have_a_topic(text: str, absent: bool) -> None:
    """It then agrees with no other, and states nothing either; what says more states that."""
    assert absent is read_conclusion("Q1", text).wording.is_absent


def test_an_answer_word_is_in_a_reading() -> None:
    """Else two conclusions that differ in a comma would be one."""
    texts = ("No, smoking is allowed.", "No smoking is allowed.", "no, Smoking is allowed")
    one, other, same = (read_conclusion("Q1", text).id for text in texts)

    assert (one, one != other) == (same, True)


def test_what_a_text_does_not_say() -> None:
    """A silent store is no silent corpus."""
    silent = {
        text: read_conclusion("Q1", text).absent
        for text in ("The corpus is silent.", "The store is silent.")
    }

    assert {"The corpus is silent.": True, "The store is silent.": False} == silent


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("It is a pet rock.", "A pet rock", COMPATIBLE),
        ("The answer is a goldfish.", "a pet rock.", CONTRADICTORY),
        ("(A)", "A goldfish", COMPATIBLE),
        ("A. A goldfish", "The answer is A.", COMPATIBLE),
        ("option B", "A goldfish", CONTRADICTORY),
        ("C", "1,500 euros", COMPATIBLE),
        ("1500 euros", "500 euros", CONTRADICTORY),
        ("Option B", "A pet rock", COMPATIBLE),
        ("Option B", "Option C", CONTRADICTORY),
        ("The answer is B) A pet rock.", "B", COMPATIBLE),
        ("The correct answer is B.", "a pet rock", COMPATIBLE),
        ("**B**", "A pet rock", COMPATIBLE),
        ("Option B: A pet rock", "(B)", COMPATIBLE),
        ("B. A goldfish", "A goldfish", UNDECIDED),
        ("It is a goldfish.", "A pet rock needs least.", UNDECIDED),
        ("It is not a goldfish.", "It is a pet rock.", UNDECIDED),
        ("A goldfish was ruled out.", "A goldfish", UNDECIDED),
        ("There is no support for a goldfish.", "A goldfish", UNDECIDED),
        ("The fee is 1,500 euros.", "500 euros", UNDECIDED),
        ("There is no limit.", "A goldfish", UNDECIDED),
    ],
)
def test_an_option_decides_where_it_is_all(one: str, other: str, kind: str) -> None:
    """By its words or its letter; one that is mentioned may be denied."""
    options = ("a goldfish", "a pet rock", "1500 euros", "500 euros")
    a, b = (read_conclusion("Q1", text, options) for text in (one, other))

    assert kind == relate(a, b).kind == relate(b, a).kind


@pytest.mark.parametrize(
    ("text", "quantities", "days"),
    [
        ("thirty days from 1 March", {("", "day", 30)}, {(None, 3, 1)}),
        ("at least 20 working days", {(">=", "working day", 20)}, set()),
        ("$1,200 or EUR 30", {("", "$", 1200), ("", "€", 30)}, set()),
        ("twenty-five percent, 5%", {("", "%", 25), ("", "%", 5)}, set()),
        ("up to two weeks", {("<=", "day", 14)}, set()),
        ("3 million euros", {("", "€", 3_000_000)}, set()),
        ("in 2024, 5% of staff", {("", "%", 5)}, {(2024, None, None)}),
        ("May 2023", set(), {(2023, 5, None)}),
        ("he may take 5 days", {("", "day", 5)}, set()),
        ("2024-02-29", set(), {(2024, 2, 29)}),
        ("one of the managers", set(), set()),
    ],
)
def test_values_are_read(text: str, quantities: set[object], days: set[object]) -> None:
    """Numbers come with bound and unit, dates as far as they are told."""
    found = stated(text)

    assert (quantities, days) == (found[0], found[1])


def test_what_is_no_date_is_no_date() -> None:
    """30 February is three numbers."""
    assert frozenset() == stated("2023-02-30")[1]
    assert Day(2024, None, None).conflicts(Day(2023, 5, 1))
    assert Quantity("", "", 2.0) in stated("2023-02-30")[0]


@given(st.lists(st.sampled_from([text for case in CASES for text in case[:2]]), min_size=3))
def test_to_say_the_same_is_transitive(texts: list[str]) -> None:
    """So that what agrees can be looked up, and a claim holds nothing that contradicts itself."""
    read = [read_conclusion("Q1", text) for text in texts]
    same = {(a.id, b.id) for a in read for b in read if relate(a, b).kind == COMPATIBLE}

    assert all((a, d) in same for a, b in same for c, d in same if b == c)


WORDS = st.sampled_from(
    "notice leave manager is not 30 60 days euros yes no at least most March 1 may never".split()
)
TEXT = st.lists(WORDS, min_size=1, max_size=9).map(" ".join) | st.text(max_size=60)


@given(TEXT, TEXT)
def test_relations_are_symmetric_and_total(one: str, other: str) -> None:
    """Any two texts have one relation, the same both ways; a text is compatible with itself."""
    a, b = read_conclusion("Q1", one), read_conclusion("Q1", other)

    assert relate(a, b) == relate(b, a)
    assert (COMPATIBLE, "words") == relate(a, a)
