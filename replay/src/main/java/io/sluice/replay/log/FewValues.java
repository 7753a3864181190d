package io.sluice.replay.log;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The few attributes of a request in one array, a name and its value in turn. It is searched from the beginning, which is faster than a
 * hash table for a dozen names, and takes a fifth of the memory. Nothing can be removed. Not thread-safe.
 */
final class FewValues extends AbstractMap<String, String> {

    /** Searching more names than this takes longer than a hash table. */
    static final int MOST = 12;

    private String[] pairs = new String[10];
    private int used;

    @Override
    public int size() {
        return used / 2;
    }

    @Override
    public @Nullable String get(@Nullable Object name) {
        int at = find(name);
        return at < 0 ? null : pairs[at + 1];
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return find(name) >= 0;
    }

    @Override
    public @Nullable String put(String name, String value) {
        int at = find(name);
        if (at >= 0) {
            String before = pairs[at + 1];
            pairs[at + 1] = value;
            return before;
        }
        if (used == pairs.length) {
            pairs = Arrays.copyOf(pairs, 2 * used);
        }
        pairs[used] = name;
        pairs[used + 1] = value;
        used += 2;
        return null;
    }

    @Override
    public void replaceAll(BiFunction<? super String, ? super String, ? extends String> change) {
        for (int i = 0; i < used; i += 2) {
            pairs[i + 1] = change.apply(pairs[i], pairs[i + 1]);
        }
    }

    private int find(@Nullable Object name) {
        for (int i = 0; i < used; i += 2) {
            if (pairs[i].equals(name)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public Set<String> keySet() {
        return new All<>(at -> pairs[at]);
    }

    @Override
    public Set<Map.Entry<String, String>> entrySet() {
        return new All<>(at -> Map.entry(pairs[at], pairs[at + 1]));
    }

    private final class All<T> extends AbstractSet<T> {

        private final IntFunction<T> item;

        All(IntFunction<T> item) {
            this.item = item;
        }

        @Override
        public int size() {
            return used / 2;
        }

        @Override
        public Iterator<T> iterator() {
            return new Iterator<>() {
                private int at;

                @Override
                public boolean hasNext() {
                    return at < used;
                }

                @Override
                public T next() {
                    if (at >= used) {
                        throw new NoSuchElementException();
                    }
                    at += 2;
                    return item.apply(at - 2);
                }
            };
        }
    }
}
