package io.sluice.center.audit;

import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.WitnessReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjLongConsumer;

/** The reports of witnesses about a log, and the result of comparing them with the log. Not thread-safe. */
final class Testimonies {

    private final List<Testimony> all = new ArrayList<>();
    private final List<Testimony> agreeing = new ArrayList<>();
    private final Faults contradictions = new Faults();

    private record Testimony(String name, WitnessReport report, Optional<Checkpoint> kept) {}

    void add(String name, WitnessReport report, Optional<Checkpoint> kept) {
        all.add(new Testimony(name, report, kept));
    }

    /** Starts to compare the reports with a log that has these keys. */
    void begin(String log, KeyHistory keys, Anchors anchors) {
        for (Testimony each : all) {
            WitnessReport report = each.report();
            String name = each.name();
            report.refused()
                    .ifPresent(why -> contradictions.add(name + " refuses this log: " + NodeText.printable(why)));
            if (!report.log().equals(log)) {
                contradictions.add(name + " has witnessed another log, " + report.log());
            } else if (each.kept().filter(kept -> !keys.signed(kept)).isPresent()) {
                contradictions.add(name + " holds a checkpoint that no key of this log has signed");
            } else {
                anchors.add(report.size(), report.root(), same -> compared(each, same, anchors.suspects()));
            }
        }
    }

    private void compared(Testimony each, boolean same, String suspects) {
        WitnessReport report = each.report();
        if (!same) {
            contradictions.add(
                    report.size(), each.name() + " has witnessed another history: " + suspects + " was replaced");
        } else if (report.refused().isEmpty() && report.size() > 0) {
            agreeing.add(each);
        }
    }

    /**
     * Compares the reports with the end of the log.
     *
     * @param known receives the name of each witness of this log and the last row that it knows
     */
    void end(String log, long lastRow, ObjLongConsumer<String> known) {
        for (Testimony each : all) {
            long size = each.report().size();
            if (each.report().log().equals(log)) {
                known.accept(each.name(), size);
                if (size > lastRow) {
                    contradictions.add(
                            lastRow + 1, each.name() + " has witnessed " + size + " rows, and there are " + lastRow);
                }
            }
        }
    }

    Faults contradictions() {
        return contradictions;
    }

    boolean isNoneAgreeing() {
        return agreeing.isEmpty();
    }

    /**
     * Returns the result of the comparison.
     *
     * @param rows the number of good rows
     */
    AuditReport.Witnessed report(long rows) {
        long until =
                agreeing.stream().mapToLong(each -> each.report().size()).max().orElse(0);
        List<Testimony> newest =
                agreeing.stream().filter(each -> each.report().size() == until).toList();
        return new AuditReport.Witnessed(
                until,
                newest.stream()
                        .mapToLong(each -> each.report().atMillis())
                        .max()
                        .orElse(0),
                newest.size(),
                agreeing.size(),
                rows - until,
                contradictions.sentences());
    }
}
