"""The budget panel: its traits driven as a front end drives them, its plain methods, what it says without a kernel."""

import json

import numpy as np
import pytest
from dfad_magics import BudgetPanel, Choices, budget
from dfad_magics.line import Call

import dfad
from tests import stand_in
from tests.stand_in import MIB


def squares(A):
    return np.sum(A*A)  # fmt: skip


@pytest.fixture
def kernel(monkeypatch):
    monkeypatch.setattr(dfad, "grad", stand_in.grad)
    monkeypatch.setattr(dfad, "kernel", stand_in.kernel)
    return stand_in.kernel(squares)


@pytest.fixture
def panel(kernel):
    panel = budget(kernel, np.arange(6.0))
    yield panel
    panel.close()


def test_starts_where_memory_gains_nothing_more(panel):
    assert panel.budget == 16 * MIB
    assert panel.slider.max == pytest.approx(4.0, rel=1e-12)
    assert (panel.box.min, panel.box.max) == (4.0, 16.0)
    assert not panel.slider.continuous_update


def test_the_slider_starts_at_the_practical_least_and_the_status_names_the_absolute_one(panel):
    assert panel.slider.min == pytest.approx(2.0, rel=1e-12)
    assert "least budget that works is 2 MiB" in panel.status.value


def test_moving_the_slider_moves_the_box_and_the_plan(panel):
    before = panel.image.value
    panel.slider.set_state({"value": 5.0})
    assert panel.box.value == 5.0
    assert panel.budget == 5 * MIB
    assert panel.plan.seconds == 0.02
    assert bytes(panel.image.value).startswith(b"\x89PNG")
    assert panel.image.value != before


def test_the_slider_gives_a_number_that_people_read(panel):
    panel.slider.set_state({"value": 8.111676216125488})
    assert panel.box.value == 8.112
    assert panel.slider.value == pytest.approx(8.112, rel=1e-6)
    assert panel.budget == round(8.112 * MIB)


def test_writing_into_the_box_moves_the_slider(panel):
    panel.box.set_state({"value": 8.0})
    assert panel.slider.value == 8.0
    assert panel.budget == 8 * MIB


def test_stored_and_recomputed_differ_in_words_and_signs(panel):
    panel.choose(8 * MIB)
    assert "■ kept" in panel.table.value
    assert "↻ recomputed" in panel.table.value


@pytest.mark.parametrize("mebibytes", [3.9999999, 4.0, 16.0, 16.0000001])
def test_rounding_never_leaves_the_range(panel, mebibytes):
    panel._moved(mebibytes)
    assert 4 * MIB <= panel.budget <= 16 * MIB
    assert "alert" not in panel.status.value


def test_a_budget_as_text(kernel):
    panel = budget(kernel, np.arange(6.0), budget="8 MiB")
    assert panel.budget == 8 * MIB


@pytest.mark.parametrize("mebibytes", [3, 1000])
def test_a_budget_beyond_the_slider_stays_as_chosen(panel, mebibytes):
    panel.choose(mebibytes * MIB)
    assert panel.budget == mebibytes * MIB
    assert panel.plan.seconds == (0.5 if mebibytes == 3 else 0.01)
    assert panel.box.value == (4.0 if mebibytes == 3 else 16.0)


def test_a_budget_too_small_raises_from_the_method(panel):
    with pytest.raises(dfad.BudgetTooSmall):
        panel.choose(MIB)
    assert panel.budget == 16 * MIB


def test_run_adds_the_measured_point_and_says_it(panel):
    before = panel.image.value
    panel.button.click()
    (measured,) = panel.measured
    assert measured.peak == 4 * MIB
    assert measured.seconds > 0
    assert "measured" in panel.status.value
    assert "predicted 10 ms" in panel.status.value
    assert panel.image.value != before


@pytest.mark.parametrize(
    "error", [dfad.KernelTypeError("x is no array"), IndexError("out of range"), MemoryError("gone"), dfad.BudgetTooSmall("no", least=3)]
)
def test_errors_of_a_callback_stand_in_the_status_line(panel, monkeypatch, error):
    def fail(self, *_):
        raise error

    monkeypatch.setattr(Choices, "run", fail)
    panel.button.click()
    assert "alert" in panel.status.value
    assert type(error).__name__ in panel.status.value


def test_a_fault_of_ours_is_shown_and_raised_again(panel, monkeypatch):
    def fail(self, *_):
        raise dfad.CompilerBug("broken promise")

    monkeypatch.setattr(Choices, "run", fail)
    with pytest.raises(dfad.CompilerBug):
        panel._pressed()
    assert "broken promise" in panel.status.value


def test_the_callers_arrays_stay(kernel):
    array = np.arange(6.0)
    panel = budget(kernel, array)
    panel.run()
    assert np.array_equal(array, np.arange(6.0))
    assert not np.shares_memory(panel.choices.call.args[0], array)


def test_one_plan_is_said_in_words_without_a_slider(kernel):
    kernel.points = stand_in.STEPS[-1:]
    panel = BudgetPanel(Call.of(kernel, (np.arange(6.0),)))
    assert panel.widget is None
    assert "one plan" in str(panel)
    assert "16 MiB" in str(panel)
    assert "one plan" in panel.report().html()


def test_the_report_reads_without_a_kernel(panel):
    report = panel.report()
    html, text = report.html(), str(report)
    assert "data:image/png;base64," in html
    assert "<script" not in html
    for row in report.rows():
        assert all(cell in text for cell in row)
        assert all(cell in html for cell in row)
    assert len(report.rows()) == 4


def test_close_takes_every_widget_away(panel):
    parts = [panel.slider, panel.box, panel.button, panel.status, panel.image, panel.table, panel.widget]
    panel.close()
    assert [part.comm for part in parts] == [None] * 7
    panel.close()


def test_the_state_of_the_widgets_can_be_saved(panel):
    assert json.dumps({name: value for name, value in panel.slider.get_state().items() if name != "layout"}, default=str)
