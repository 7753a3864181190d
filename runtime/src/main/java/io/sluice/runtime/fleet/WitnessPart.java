package io.sluice.runtime.fleet;

import io.sluice.runtime.witness.Witness;
import java.util.List;

/** Passes each answer to a witness of the audit log, and adds its report to each report of this process. */
public final class WitnessPart implements FleetPart {

    private final Witness witness;

    public WitnessPart(Witness witness) {
        this.witness = witness;
    }

    @Override
    public NodeReport addTo(NodeReport report) {
        return report.answering(all -> all.with(witness.report()));
    }

    @Override
    public void heard(Fleet fleet) {
        witness.heard(fleet.audit());
    }

    @Override
    public List<String> findings() {
        return witness.findings();
    }
}
