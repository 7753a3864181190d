package io.sluice.runtime.fleet;

import io.sluice.rules.json.JsonLine;
import io.sluice.runtime.erasure.ErasureResult;
import io.sluice.runtime.erasure.ErasureText;
import io.sluice.runtime.erasure.Erasures;
import java.util.ArrayList;
import java.util.List;

/** Passes the orders in each answer to erasures, and reports their results. For a line to a center over HTTP only. */
public final class ErasurePart implements FleetPart {

    /** All results of one report have at most this many characters, so that the center accepts the report. */
    static final int MOST_CHARACTERS = 100_000;

    private final Erasures erasures;

    public ErasurePart(Erasures erasures) {
        this.erasures = erasures;
    }

    @Override
    public NodeReport addTo(NodeReport report) {
        return report.answering(all -> all.with(few(erasures.results())));
    }

    /** Returns the first results. The center does not repeat orders whose results it has stored, so the others come with later reports. */
    static List<ErasureResult> few(List<ErasureResult> results) {
        List<ErasureResult> few = new ArrayList<>();
        int characters = 0;
        for (ErasureResult result : results) {
            characters += length(result);
            if (!few.isEmpty() && characters > MOST_CHARACTERS) {
                break;
            }
            few.add(result);
        }
        return few;
    }

    private static int length(ErasureResult result) {
        JsonLine line = new JsonLine().begin();
        ErasureText.writeResults(line, "erased", List.of(result));
        return line.end().toString().length();
    }

    @Override
    public void heard(Fleet fleet) {
        erasures.offered(fleet.erasures());
    }

    @Override
    public List<String> findings() {
        return erasures.findings();
    }
}
