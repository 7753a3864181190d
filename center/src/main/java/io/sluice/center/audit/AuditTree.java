package io.sluice.center.audit;

import io.sluice.runtime.witness.ConsistencyProof;
import io.sluice.runtime.witness.TreeHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The Merkle tree over the rows of the log. Row {@code n} is leaf {@code n - 1}. Every method runs within a transaction of the
 * caller.
 */
public final class AuditTree {

    private AuditTree() {}

    /**
     * Adds a row to the tree and returns its hash. The caller writes the row in the same transaction.
     *
     * <p>The row of the head is changed before it is read. A transaction may not see rows that other transactions stored after it
     * started, but it always sees a row that it has changed itself.
     */
    public static String add(JdbcClient client, AuditRow row) {
        String leaf = row.hash();
        addLeaf(client, row.number(), leaf);
        return leaf;
    }

    static void addLeaf(JdbcClient client, long number, String leaf) {
        client.sql("UPDATE audit_head SET number = ? WHERE name = 'command'")
                .param(number)
                .update();
        String text = client.sql("SELECT frontier FROM audit_head WHERE name = 'command'")
                .query(String.class)
                .single();
        Frontier frontier = Frontier.of(number - 1, text);
        frontier.add(leaf, (node, hash) -> client.sql("INSERT INTO audit_node (depth, place, hash) VALUES (?, ?, ?)")
                .params(node.depth(), node.place(), hash)
                .update());
        client.sql("UPDATE audit_head SET hash = ?, frontier = ? WHERE name = 'command'")
                .params(frontier.root(), frontier.text())
                .update();
    }

    /** Returns the newest row and the root of the tree. */
    public static AuditHead head(JdbcClient client) {
        return client.sql("SELECT number, hash FROM audit_head WHERE name = 'command'")
                .query((row, index) -> new AuditHead(row.getLong(1), row.getString(2)))
                .single();
    }

    /** Returns the root of the tree over the first {@code size} rows; empty if the log has fewer rows. */
    public static Optional<String> root(JdbcClient client, long size) {
        if (size == 0) {
            return Optional.of(TreeHash.EMPTY);
        }
        return size > head(client).number() ? Optional.empty() : Optional.of(hash(client, 0, size));
    }

    /**
     * Proves that the tree over the first {@code to} rows extends the tree over the first {@code from} rows.
     *
     * @param from the smaller size, at most {@code to}
     * @param to the larger size, at most the number of rows
     */
    public static ConsistencyProof proof(JdbcClient client, long from, long to) {
        List<String> hashes = new ArrayList<>();
        if (from > 0 && from < to) {
            prove(client, from, 0, to, true, hashes);
        }
        return new ConsistencyProof(from, hashes);
    }

    /**
     * Adds the hashes that prove one part of the tree.
     *
     * @param begin the first leaf of this part
     * @param end the leaf after the last leaf of this part
     * @param known whether the verifier knows the hash of the old part
     */
    private static void prove(JdbcClient client, long from, long begin, long end, boolean known, List<String> hashes) {
        if (from == end) {
            if (!known) {
                hashes.add(hash(client, begin, end));
            }
            return;
        }
        long middle = begin + half(end - begin);
        if (from <= middle) {
            prove(client, from, begin, middle, known, hashes);
            hashes.add(hash(client, middle, end));
        } else {
            prove(client, from, middle, end, false, hashes);
            hashes.add(hash(client, begin, middle));
        }
    }

    /** Returns the hash of a part of the tree. The part is divided like the tree itself. */
    private static String hash(JdbcClient client, long begin, long end) {
        long size = end - begin;
        if (Long.bitCount(size) == 1) {
            int depth = Long.numberOfTrailingZeros(size);
            return client.sql("SELECT hash FROM audit_node WHERE depth = ? AND place = ?")
                    .params(depth, begin >> depth)
                    .query(String.class)
                    .single();
        }
        long middle = begin + half(size);
        return TreeHash.node(hash(client, begin, middle), hash(client, middle, end));
    }

    /** Returns the largest power of two below {@code size}. */
    private static long half(long size) {
        return Long.highestOneBit(size - 1);
    }
}
