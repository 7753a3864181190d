package io.sluice.center;

import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Path;

/** Approvals on a real MariaDB. */
class MariaDbApprovalTest extends ApprovalContract {

    @Override
    SecondPerson open(Path data) throws CenterStartException {
        return SecondPerson.in(data, MariaDbServer.shared().database());
    }
}
