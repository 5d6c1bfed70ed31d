"""Predicates: one word for one relation, and which of them a subject has one object of at a time. All of it data."""

from __future__ import annotations

import re
import unicodedata

LONGEST_PREDICATE = 64
_WORDS = re.compile(r"[^\w]+", re.UNICODE)
_AUXILIARY = re.compile(r"^(?:is|are|was|were|be|has_been|have_been|had_been|currently|now|still|really)_(?=\w)")

# Other words for the same. What is not here keeps its own.
SAME: dict[str, str] = {
    **dict.fromkeys(
        ("resides_in", "residing_in", "living_in", "live_in", "lived_in", "lives_at", "home_city", "home_town_now", "moved_to",
         "moved_into", "relocated_to", "residence", "based_in", "located_in_city", "wohnt_in", "vive_en", "habite_a"),
        "lives_in",
    ),
    **dict.fromkeys(
        ("employed_by", "employed_at", "working_at", "work_at", "worked_at", "works_for", "work_for", "worked_for", "working_for",
         "job_at", "has_job_at", "employer", "joined_company", "started_at", "started_working_at", "arbeitet_bei", "trabaja_en"),
        "works_at",
    ),
    **dict.fromkeys(("works_as", "job_title", "profession", "occupation", "has_job", "has_occupation", "role"), "has_role"),
    **dict.fromkeys(("spouse", "spouse_of", "married", "husband_of", "wife_of", "husband", "wife", "married_with"), "married_to"),
    **dict.fromkeys(("partner", "partner_of", "girlfriend", "boyfriend", "dating", "in_relationship_with"), "partner_of"),
    **dict.fromkeys(("birthday", "birth_date", "date_of_birth", "born", "was_born_on", "birthdate"), "born_on"),
    **dict.fromkeys(("birthplace", "place_of_birth", "was_born_in"), "born_in"),
    **dict.fromkeys(("aged", "has_age", "years_old"), "age"),
    **dict.fromkeys(("loves", "enjoys", "like", "is_fond_of", "enjoy", "love"), "likes"),
    **dict.fromkeys(("hates", "does_not_like", "dislike", "hate"), "dislikes"),
    **dict.fromkeys(("has_pet", "pet", "owns_pet"), "has_pet"),
    **dict.fromkeys(("phone", "phone_number", "telephone"), "phone_number"),
    **dict.fromkeys(("email", "email_address", "mail_address"), "email_address"),
}  # fmt: skip

# One object at a time, unless the source says that this one comes beside the other.
ONE_AT_A_TIME = frozenset(
    "lives_in works_at has_role married_to partner_of age born_on born_in email_address phone_number address studies_at"
    " attends_school height weight marital_status status located_in headquartered_in capital_of has_ceo led_by owned_by"
    " price costs version current_version default_port runs_on_port port deadline due_on scheduled_for relationship_status"
    " nationality native_language favorite_color favourite_colour favorite_food favourite_food gender pronouns timezone".split()
)
# Many at a time by their nature, whatever a model says.
MANY = frozenset(
    "likes dislikes knows friend_of has_friend visited has_pet has_child parent_of child_of sibling_of has_sibling owns has"
    " speaks speaks_language read watched played attended travelled_to traveled_to interested_in has_hobby hobby mentioned"
    " said met uses bought made wrote created member_of plays wants plans_to".split()
)
# Of these a second one beside the first is common, so the words' "also" weighs more than a model's flag.
COMBINABLE = frozenset({"works_at", "has_role", "studies_at", "owned_by", "led_by"})
# These are never so of two things at different times: another object is a mistake, not a change.
NEVER_CHANGES = frozenset({"born_on", "born_in", "native_language"})

_BESIDES = re.compile(
    r"\b(?:also|as well|too|second job|side job|part[- ]time|on the side|besides|in addition|additionally|moonlight\w*|both"
    r"|weekends?|evenings?|auch|außerdem|nebenbei|zusätzlich|también|además|aussi|en plus|anche|também)\b|也|还|兼职|副業|も",
    re.IGNORECASE,
)


def normal(predicate: str) -> str:
    """A predicate in snake_case, by the one word there is for it; empty when it holds no word."""
    folded = unicodedata.normalize("NFKC", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", predicate)).casefold().replace("'", "")
    words = "_".join(part for part in _WORDS.sub("_", folded).split("_") if part)
    if words in SAME:
        return SAME[words]
    bare = _AUXILIARY.sub("", words)
    return SAME.get(bare, bare)[:LONGEST_PREDICATE].strip("_")


def functional(predicate: str, said: bool | None, words: str) -> bool:
    """Whether a newer object takes the place of an older one. `said` is the model's word, `words` the statement and quotes.

    The nature of the predicate comes first where it is many; then the model's word; then the list, unless the words say
    that this comes beside what there was.
    """
    if predicate in MANY or said is False:
        return False
    if (said is None or predicate in COMBINABLE) and _BESIDES.search(words):
        return False
    return bool(said) or predicate in ONE_AT_A_TIME
