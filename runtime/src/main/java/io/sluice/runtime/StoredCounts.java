package io.sluice.runtime;

import io.sluice.core.Limiter;
import io.sluice.core.spi.KeyMatch;
import io.sluice.redis.store.ForgottenCounts;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.runtime.erasure.ErasableStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The counts of a process and of its shared store, for erasures. */
public final class StoredCounts {

    private static final String KIND = "counts";

    private StoredCounts() {}

    /**
     * Returns the counts of a process.
     *
     * @param local the limiter that decides in this process
     * @param shared the limiter that decides in the store; null if there is none
     * @param store the store; null if there is none
     */
    public static List<ErasableStore> of(Limiter local, @Nullable Limiter shared, @Nullable Store store) {
        List<ErasableStore> stores = new ArrayList<>();
        stores.add(new Memory(local, shared));
        if (store != null) {
            stores.add(new Shared(store));
        }
        return stores;
    }

    private record Memory(Limiter local, @Nullable Limiter shared) implements ErasableStore {

        @Override
        public String kind() {
            return KIND;
        }

        /** The shared limiter's memory only follows the counts in the store, so the counts removed from it are not added to the number. */
        @Override
        public Attempt erase(String erasure, SubjectKeys keys) {
            KeyMatch match = keys.match();
            long removed = local.forget(match);
            if (shared != null) {
                long unused = shared.forget(match);
            }
            return Attempt.done(removed);
        }
    }

    private record Shared(Store store) implements ErasableStore {

        @Override
        public String kind() {
            return KIND;
        }

        @Override
        public Attempt erase(String erasure, SubjectKeys keys) {
            ForgottenCounts forgotten = store.forget(keys.match(), erasure);
            return new Attempt(forgotten.removed(), forgotten.unfinished());
        }
    }
}
