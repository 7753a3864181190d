package io.sluice.runtime.fleet;

import io.sluice.runtime.recording.Excerpts;
import java.util.List;

/** Reports that this process records requests, and receives the center's questions for them. For a line to a center over HTTP only. */
public final class ExcerptPart implements FleetPart {

    private final Excerpts excerpts;

    public ExcerptPart(Excerpts excerpts) {
        this.excerpts = excerpts;
    }

    @Override
    public NodeReport addTo(NodeReport report) {
        return excerpts.isReady() ? report.answering(NodeAnswers::recording) : report;
    }

    @Override
    public void heard(Fleet fleet) {
        excerpts.offered(fleet.excerpts());
    }

    @Override
    public List<String> findings() {
        return List.of();
    }
}
