package io.sluice.center.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.database.Database;
import io.sluice.runtime.witness.ConsistencyProof;
import io.sluice.runtime.witness.TreeHash;
import io.sluice.testkit.SeededRandom;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

class AuditTreeTest {

    private static final int SIZES = SeededRandom.scaled(35, 70);
    private static final int MANY = SeededRandom.scaled(20_000, 100_000);

    /** The largest full tree within them. */
    private static final int FULL = Integer.highestOneBit(MANY - 1);

    @TempDir
    Path data;

    private Database database;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everySizeProvesEveryLargerOneAndNothingElse() {
        List<String> roots = new ArrayList<>(List.of(TreeHash.EMPTY));
        Frontier tree = Frontier.empty();
        boolean unused = database.write(client -> {
            for (int i = 1; i <= SIZES; i++) {
                String leaf = TreeHash.leaf("row " + i);
                tree.add(leaf);
                roots.add(tree.root());
                AuditTree.addLeaf(client, i, leaf);
            }
            return true;
        });
        assertThat(database.read(AuditTree::head)).isEqualTo(new AuditHead(SIZES, tree.root()));
        for (int to = 0; to <= SIZES; to++) {
            long size = to;
            assertThat(root(size)).hasValue(roots.get(to));
            for (int from = 0; from <= to; from++) {
                long first = from;
                ConsistencyProof proof = database.read(client -> AuditTree.proof(client, first, size));
                assertProves(proof, roots.get(from), to, roots.get(to));
            }
        }
        assertThat(root(SIZES + 1)).isEmpty();
    }

    private Optional<String> root(long size) {
        return database.read(client -> AuditTree.root(client, size));
    }

    private static void assertProves(ConsistencyProof proof, String oldRoot, long size, String newRoot) {
        String name = proof.from() + " to " + size;
        String other = TreeHash.leaf("other");
        assertThat(proof.proves(oldRoot, size, newRoot)).as(name).isTrue();
        assertThat(proof.proves(other, size, newRoot)).as(name).isFalse();
        // An empty log is the beginning of any other.
        assertThat(proof.proves(oldRoot, size, other)).as(name).isEqualTo(proof.from() == 0 && size > 0);
        for (int i = 0; i < proof.hashes().size(); i++) {
            List<String> changed = new ArrayList<>(proof.hashes());
            changed.set(i, other);
            assertThat(new ConsistencyProof(proof.from(), changed).proves(oldRoot, size, newRoot))
                    .as(name)
                    .isFalse();
            changed.remove(i);
            assertThat(new ConsistencyProof(proof.from(), changed).proves(oldRoot, size, newRoot))
                    .as(name)
                    .isFalse();
        }
        List<String> longer = new ArrayList<>(proof.hashes());
        longer.add(other);
        assertThat(new ConsistencyProof(proof.from(), longer).proves(oldRoot, size, newRoot))
                .as(name)
                .isFalse();
    }

    @Test
    void manyRowsNeedFewStatements() {
        fill();
        AtomicInteger statements = new AtomicInteger();
        Frontier tree = Frontier.empty();
        for (long from : new long[] {1, 2, FULL - 1, FULL, FULL + 1, (FULL + MANY) / 2, MANY - 1}) {
            while (tree.size() < from) {
                tree.add(SignedLog.row(tree.size() + 1, "test", "{}").hash());
            }
            statements.set(0);
            ConsistencyProof proof = database.read(client -> AuditTree.proof(counting(client, statements), from, MANY));
            assertThat(statements.get()).as("from " + from).isLessThanOrEqualTo(2 * 64);
            assertThat(proof.proves(
                            tree.root(), MANY, database.read(AuditTree::head).hash()))
                    .isTrue();
        }
        statements.set(0);
        AuditReport report = database.read(
                client -> AuditWalk.whole(counting(client, statements), AuditHead.NONE, Optional.empty(), Map.of()));
        assertThat(report.good()).as("%s", report).isTrue();
        assertThat(report.rows()).isEqualTo(MANY);
        assertThat(statements.get()).isLessThanOrEqualTo(MANY / 1_000 + 10);
    }

    /** Stores rows and their tree in large statements. */
    private void fill() {
        Frontier tree = Frontier.empty();
        List<String> nodes = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        boolean unused = database.write(client -> {
            for (int i = 1; i <= MANY; i++) {
                LoggedRow row = SignedLog.row(i, "test", "{}");
                tree.add(
                        row.hash(),
                        (node, hash) -> nodes.add("(" + node.depth() + "," + node.place() + ",'" + hash + "')"));
                rows.add("(" + i + "," + row.row().at() + ",'user:a','test','why',0,'{}','" + row.salt() + "','"
                        + row.row().commitment() + "','" + row.hash() + "','192.0.2.1','done',0)");
                if (rows.size() == 1_000 || i == MANY) {
                    int rowsAdded = client.sql("INSERT INTO command (number, at, actor, kind, reason, expected, body,"
                                    + " salt, commitment, hash, origin, outcome, erased_by) VALUES "
                                    + String.join(",", rows))
                            .update();
                    int nodesAdded = client.sql(
                                    "INSERT INTO audit_node (depth, place, hash) VALUES " + String.join(",", nodes))
                            .update();
                    assertThat(nodesAdded).isGreaterThanOrEqualTo(rowsAdded);
                    rows.clear();
                    nodes.clear();
                }
            }
            client.sql("UPDATE audit_head SET number = ?, hash = ?, frontier = ?")
                    .params(MANY, tree.root(), tree.text())
                    .update();
            return client.sql("UPDATE counter SET value = ? WHERE name = 'command'")
                            .param(MANY)
                            .update()
                    == 1;
        });
    }

    private static JdbcClient counting(JdbcClient client, AtomicInteger statements) {
        return (JdbcClient) Proxy.newProxyInstance(
                AuditTreeTest.class.getClassLoader(), new Class<?>[] {JdbcClient.class}, (proxy, method, arguments) -> {
                    statements.incrementAndGet();
                    try {
                        return method.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
