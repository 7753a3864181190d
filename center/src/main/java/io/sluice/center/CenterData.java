package io.sluice.center;

import io.sluice.center.account.AccountData;
import io.sluice.center.adjust.AdjustmentData;
import io.sluice.center.alert.SilenceData;
import io.sluice.center.approval.ApprovalData;
import io.sluice.center.change.ChangeData;
import io.sluice.center.durable.DurableData;
import io.sluice.center.erase.ErasureData;
import io.sluice.center.people.SecretData;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.release.ReleaseData;
import io.sluice.center.series.SeriesData;
import io.sluice.center.version.VersionData;
import java.util.List;

/** The declarations of all concepts about the data in the tables of a center. */
public final class CenterData {

    private CenterData() {}

    /** Returns the data that may name a person, in the order in which an erasure reports it. */
    public static List<PersonalData> personal() {
        return List.of(
                new VersionData(),
                new ChangeData(),
                new AdjustmentData(),
                new AccountData(),
                new ApprovalData(),
                new ReleaseData(),
                new ErasureData(),
                new SilenceData());
    }

    /** Returns the data that is no longer needed after some time, in the order in which it is removed and counted in the log. */
    public static List<AgingData> aging() {
        return List.of(
                new AdjustmentData(),
                new SecretData(),
                new ApprovalData(),
                new ReleaseData(),
                new ChangeData(),
                new AccountData(),
                new ErasureData(),
                new DurableData(),
                new SeriesData());
    }
}
