package io.sluice.rules.redis;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A store whose user stops after a number of steps. The last step takes effect or not, and its answer is lost. */
final class CutStore implements RuleStore {

    private final RuleStore store;
    private final boolean lastIsDone;
    private int left;

    CutStore(RuleStore store, int steps, boolean lastIsDone) {
        this.store = store;
        this.left = steps;
        this.lastIsDone = lastIsDone;
    }

    static final class CutException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private <T> T step(Supplier<T> step) {
        if (left <= 0) {
            throw new CutException();
        }
        if (--left == 0 && !lastIsDone) {
            throw new CutException();
        }
        T answer = step.get();
        if (left == 0) {
            throw new CutException();
        }
        return answer;
    }

    private void step(Runnable step) {
        step(() -> {
            step.run();
            return true;
        });
    }

    @Override
    public Optional<byte[]> version() {
        return step(store::version);
    }

    @Override
    public Optional<String> adjustments() {
        return step(store::adjustments);
    }

    @Override
    public void claim() {
        store.claim();
    }

    @Override
    public boolean adjust(String text, long revision) {
        return step(() -> store.adjust(text, revision));
    }

    @Override
    public long length(long version) {
        return step(() -> store.length(version));
    }

    @Override
    public byte[] part(long version, int from, int length) {
        return step(() -> store.part(version, from, length));
    }

    @Override
    public boolean write(long version, byte[] snapshot) {
        return step(() -> store.write(version, snapshot));
    }

    @Override
    public void replace(long version, byte[] snapshot) {
        step(() -> store.replace(version, snapshot));
    }

    @Override
    public boolean flip(byte[] was, String next) {
        return step(() -> store.flip(was, next));
    }

    @Override
    public Set<String> keys(String beginning, int most) {
        return step(() -> store.keys(beginning, most));
    }

    @Override
    public List<HashContent> read(List<String> keys) {
        return step(() -> store.read(keys));
    }

    /** Each hash counts as one step. */
    @Override
    public void mirror(Map<String, Map<String, String>> hashes) {
        hashes.forEach((key, fields) -> step(() -> store.mirror(Map.of(key, fields))));
    }

    @Override
    public void remove(Collection<String> keys) {
        keys.forEach(key -> step(() -> store.remove(List.of(key))));
    }

    @Override
    public void tell(String message) {
        step(() -> store.tell(message));
    }
}
