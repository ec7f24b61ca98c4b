"""What a session in the terminal says: the introduction, the ruler, the questions, the goodbye."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from commensurate.cli.study.typed_line import pairs_in_order
from commensurate.report.terminal.question_card import QuestionCard, Signs
from commensurate.study.messages import AskedQuestion, ExpertCounts, RecordedAnswer, RulerPair
from commensurate.study.ruler import spread_pairs
from commensurate.study.settings import StudySettings
from commensurate.study.shown.columns import column_styles
from commensurate.wording import counted, is_or_are, one_line, short_number, visible_text

# pairs of the ruler that are shown: nearest, farthest, and some between
RULER_PAIRS = 4
# of a line that was not understood, so much is shown again
LONGEST_ECHO = 12


def as_typed(number: float) -> str:
    """Return a number as an expert would type it, with all its digits."""
    return repr(number).removesuffix(".0")


class SessionWords:
    """Says everything that an expert reads; whatever it is given is shown as text."""

    def __init__(self, console: Console, settings: StudySettings, expert: str) -> None:
        self.console = console
        self.title, self.expert = settings.title, expert
        self.styles = column_styles(settings.columns)
        self.scale_end = short_number(settings.scale_end)
        self.exact_end = as_typed(settings.scale_end)
        self.kind, self.grades = settings.answer_kind, settings.grades

    def say(self, line: str, style: str = "") -> None:
        """Print a line; whatever a terminal would obey in it is shown instead."""
        self.console.print(Text(visible_text(line), style))

    def prompt(self, question: AskedQuestion) -> str:
        """Return what stands before the place where the expert types."""
        return f"{self._what_can_be_typed(question)}, or s u b c ? q: "

    def introduce(self, ruler: Sequence[RulerPair], boundaries: Sequence[RulerPair | None] = ()) -> None:
        """Say what is asked and how to answer, and show the ruler."""
        if self.title:
            self.say(one_line(self.title), "bold")
        self.say(f"{one_line(self.expert)}, how dissimilar are the two records? Small means similar.")
        self.help(ruler, boundaries)

    def help(self, ruler: Sequence[RulerPair], boundaries: Sequence[RulerPair | None] = ()) -> None:
        """Say what can be typed, what the marks mean, and what the scale is."""
        signs = Signs.of(self.console.options)
        self.say(
            f"""{self._kinds_in_words()}
0.5, 0,5  a number: 0 means alike, {self.scale_end} ends the scale
s         skip: the question comes back later
u         unsure
b         back to your previous answer
c TEXT    a comment with the answer
?         this help
q         quit; run the same command to continue

{signs.differs}  the values differ; (+5): the right value is larger by 5
{signs.absent}  this group does not have the column"""
        )
        self._show_boundaries(boundaries)
        self._show_ruler(ruler)

    def _kinds_in_words(self) -> str:
        """Say what else than numbers questions ask for."""
        if self.kind == "grades":
            grades = "".join(f"\n{number}         {word}" for number, word in enumerate(self.grades, start=1))
            return f"\nMost questions ask for a grade, its number or its word:{grades}\n\nThe others ask for a number:"
        if self.kind == "comparisons":
            return """
Most questions ask which of two pairs is more alike:
1, 2      the first pair, the second pair
=         both are as alike

The others ask for a number:"""
        return ""

    def _show_boundaries(self, boundaries: Sequence[RulerPair | None]) -> None:
        for pair, before, after in zip(boundaries, self.grades, self.grades[1:]):
            if pair is not None:
                self.say(f'\nbetween "{before}" and "{after}": as different as these two', "bold")
                self._show_pair(pair)

    def _show_pair(self, pair: RulerPair) -> None:
        card = QuestionCard(
            pair.between, pair.left_record, pair.right_record, only_differences=True, styles=self.styles
        )
        self.console.print(Padding(card, (0, 0, 0, 2)))

    def _show_ruler(self, ruler: Sequence[RulerPair]) -> None:
        if ruler:
            self.say(f"\nThe scale, from 0 to {self.scale_end}, shown on pairs with a known distance:")
        for pair in spread_pairs(ruler, RULER_PAIRS):
            self.say(f"\nthese two {one_line(pair.group)} records are {short_number(pair.distance)} apart", "bold")
            self._show_pair(pair)

    def show_question(self, question: AskedQuestion, counts: ExpertCounts, before: RecordedAnswer | None) -> None:
        """Show how far the expert is, the two records, and what they answered before if they came back."""
        self.say(f"\n{counts.answered:,} answered, about {counts.open:,} to go\n")
        if question.again:
            self.say("you have been asked about these two records before; please judge them afresh\n", "bold")
        if question.other is None:
            self.console.print(
                QuestionCard(question.between, question.left_record, question.right_record, styles=self.styles)
            )
        else:
            self._show_comparison(question, question.other)
        if before is not None:
            answer = self._answer_in_words(question, before.answer)
            comment = f" ({before.comment})" if before.comment else ""
            self.say(
                f"\nyour answer was: {answer}{comment}; press Enter to keep it, or type a new one to replace it", "bold"
            )
        self.say("")

    def _show_comparison(self, question: AskedQuestion, other: RulerPair) -> None:
        asked = QuestionCard(question.between, question.left_record, question.right_record, styles=self.styles)
        if question.shared == "right":
            # the record that both pairs have stands on the left of both
            asked = QuestionCard(
                question.between[::-1], question.right_record, question.left_record, styles=self.styles
            )
        compared = QuestionCard(other.between, other.left_record, other.right_record, styles=self.styles)
        same = "; the record on the left is the same in both" if question.shared else ""
        self.say(f"which pair is more alike{same}?\n", "bold")
        for number, card in enumerate((compared, asked) if question.other_first else (asked, compared), start=1):
            self.say(f"pair {number}", "bold")
            self.console.print(Padding(card, (0, 0, 1, 2)))

    def _answer_in_words(self, question: AskedQuestion, answer: float | str | None) -> str:
        if answer is None:
            return "unsure"
        if question.kind == "comparison":
            return "both as alike" if answer == "same" else f"pair {1 + pairs_in_order(question).index(str(answer))}"
        return answer if isinstance(answer, str) else as_typed(answer)

    def _what_can_be_typed(self, question: AskedQuestion) -> str:
        if question.kind == "grade":
            return f"1 ({self.grades[0]}) to {len(self.grades)} ({self.grades[-1]})"
        return "1, 2 or =" if question.kind == "comparison" else f"0 to {self.scale_end}"

    def ask_to_confirm(self, number: float) -> None:
        """Ask whether a number beyond the end of the scale is meant."""
        self.say(f"{as_typed(number)} is beyond the end of the scale, {self.exact_end}; type y to confirm it")

    def explain_what_is_expected(self, question: AskedQuestion, typed: str) -> None:
        """Say in one line what can be typed."""
        expected = self._what_can_be_typed(question)
        if question.kind == "number":
            expected = f"0 (alike) to {self.scale_end} or more"
        came = f"; got '{one_line(typed)[:LONGEST_ECHO]}'" if typed else ""
        self.say(f"expected {expected}, or s u b c ? q{came}")

    def say_goodbye(self, counts: ExpertCounts, answered_now: int) -> None:
        """Say what was recorded, and whether there is more to answer."""
        recorded = f"{counted(counts.answered, 'answer')} recorded, {answered_now:,} of them now"
        if counts.unsure:
            recorded += f", {counts.unsure:,} unsure"
        if counts.open == 0 and counts.with_others:
            elsewhere = counted(counts.with_others, "open question")
            self.say(
                f"{recorded}; {elsewhere} {is_or_are(counts.with_others)} with other experts now. Check again later."
            )
        elif counts.open == 0:
            self.say(f"Thank you, {one_line(self.expert)}. There are no more questions for you; {recorded}.")
        else:
            self.say(f"{recorded}; run the same command to continue.")
