package io.sluice.center;

import java.nio.file.Path;

/** Approvals on SQLite. */
class ApprovalTest extends ApprovalContract {

    @Override
    SecondPerson open(Path data) throws CenterStartException {
        return SecondPerson.in(data);
    }
}
