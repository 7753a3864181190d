package io.sluice.center.data;

import io.sluice.runtime.data.RefusedMinute;
import java.util.List;

/** Who was refused. Thread-safe. */
public interface CallersView {

    /** Returns the callers that were refused most often, those with the highest numbers first. */
    List<RefusedCaller> top(TopQuery query);

    /** Returns what each tenant asked for from one minute until before another, in minutes since 1970. */
    List<RefusedMinute.Tenant> tenants(long from, long until);
}
