package io.sluice.runtime.fleet;

import io.sluice.runtime.caller.CallerAnswer;
import io.sluice.runtime.caller.CallerQuestions;
import java.util.ArrayList;
import java.util.List;

/**
 * Receives the center's questions about callers, and reports the answers. For a line to a center over HTTP only: programs that can write
 * to Redis must not learn the identity of a caller.
 */
public final class CallerPart implements FleetPart {

    /** All answers of one report have at most this many characters, so that the center accepts the report. */
    static final int MOST_CHARACTERS = 100_000;

    private final CallerQuestions questions;

    public CallerPart(CallerQuestions questions) {
        this.questions = questions;
    }

    @Override
    public NodeReport addTo(NodeReport report) {
        List<CallerAnswer> answers = questions.answers();
        return report.answering(all -> (questions.isReady() ? all.explaining() : all).withCallers(few(answers)));
    }

    /** Returns the first answers. The center does not repeat questions whose answers it knows, so the others come with later reports. */
    static List<CallerAnswer> few(List<CallerAnswer> answers) {
        List<CallerAnswer> few = new ArrayList<>();
        int characters = 0;
        for (CallerAnswer answer : answers) {
            // In JSON, each quotation mark takes one more character.
            characters += 60
                    + answer.content()
                            .map(text -> text.length() + text.length() / 3)
                            .orElse(0);
            if (!few.isEmpty() && characters > MOST_CHARACTERS) {
                break;
            }
            few.add(answer);
        }
        return few;
    }

    @Override
    public void heard(Fleet fleet) {
        questions.offered(fleet.questions());
    }

    @Override
    public List<String> findings() {
        return List.of();
    }
}
