package io.sluice.center.data;

import io.sluice.runtime.data.RefusedMinute;
import java.util.List;

/** Refused callers and tenants, for queries. Thread-safe. */
public interface CallersView {

    /** Returns the callers that were refused most often, in descending order. */
    List<RefusedCaller> top(TopQuery query);

    /** Returns the requests of each tenant from one minute until before another, in minutes since 1970. */
    List<RefusedMinute.Tenant> tenants(long from, long until);
}
