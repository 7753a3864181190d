package io.sluice.center.command;

import io.sluice.center.database.Database;
import io.sluice.center.refusal.RefusedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The requests with an {@code Idempotency-Key} that acted, and their answers. A request is stored in the transaction of its first command,
 * so it acts once. Its answer is stored as soon as it is known. Thread-safe.
 */
public final class AnsweredRequests {

    /** The time for which requests and answers are kept. */
    public static final Duration KEPT = Duration.ofDays(1);

    /** The maximum number of requests. Above this number, the oldest requests are removed earlier. */
    public static final int MAX_KEPT = 10_000;

    /** The maximum length of the body of a stored answer. */
    private static final int MAX_BODY = 256 * 1024;

    private static final byte[] NONE = new byte[0];

    private final Database database;

    public AnsweredRequests(Database database) {
        this.database = database;
    }

    /** The answer to a request. */
    @SuppressWarnings("ArrayRecordComponent") // created once, sent unchanged
    public record Answer(int status, String type, byte[] body) {}

    /**
     * A request that acted.
     *
     * @param isSame whether its content is the same as that of the current request
     * @param command the number of its first command
     * @param answer its answer; empty while it is unknown, and if it is not stored
     */
    public record Earlier(boolean isSame, long command, Optional<Answer> answer) {}

    /** Returns the request that acted with a key. */
    public Optional<Earlier> find(RequestKey key) {
        return database.read(client -> client.sql("SELECT request, command, answer FROM answered_request WHERE ref = ?")
                .param(key.ref())
                .query((row, index) -> new Earlier(
                        key.request().equals(row.getString(1)),
                        row.getLong(2),
                        key.open(row.getBytes(3)).map(AnsweredRequests::parse)))
                .optional());
    }

    /** Stores that a request acts, in the transaction of its first command. */
    static void add(JdbcClient client, RequestKey key, long command, long at) {
        Optional<Long> earlier = client.sql("SELECT command FROM answered_request WHERE ref = ?")
                .param(key.ref())
                .query(Long.class)
                .optional();
        if (earlier.isPresent()) {
            throw inProgress(earlier.get());
        }
        client.sql("INSERT INTO answered_request (ref, request, at, command, answer) VALUES (?, ?, ?, ?, ?)")
                .params(key.ref(), key.request(), at, command, NONE)
                .update();
    }

    /** Returns the refusal for a repetition of a request that acted and has no stored answer. */
    public static RefusedException inProgress(long command) {
        return RefusedException.conflict(
                "Idempotency-Key: this request was carried out as command " + command
                        + " of the audit log, and its answer is not stored (expected: a request that has its answer;"
                        + " repeat it in a moment, or look at what the command did)",
                Map.of("commands", List.of(command)));
    }

    /** Stores the answer to a request that acted. An answer that is too long is not stored. */
    public void answer(RequestKey key, Answer answer) {
        if (answer.body().length <= MAX_BODY) {
            int unused = database.write(client -> client.sql("UPDATE answered_request SET answer = ? WHERE ref = ?")
                    .params(key.seal(bytes(answer)), key.ref())
                    .update());
        }
    }

    /** Removes requests and answers whose time has passed, and the oldest ones above the maximum number. */
    public static void removeOld(JdbcClient client, long now) {
        long full = client.sql("SELECT at FROM answered_request ORDER BY at DESC LIMIT 1 OFFSET " + MAX_KEPT)
                .query(Long.class)
                .optional()
                .orElse(0L);
        client.sql("DELETE FROM answered_request WHERE at <= ?")
                .param(Math.max(full, now - KEPT.toMillis()))
                .update();
    }

    /** Removes all answers, because an answer may name an erased subject. The requests remain, so that no request acts twice. */
    public static void eraseAnswers(JdbcClient client) {
        client.sql("UPDATE answered_request SET answer = ?").param(NONE).update();
    }

    private static byte[] bytes(Answer answer) {
        byte[] type = answer.type().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(2 * Integer.BYTES + type.length + answer.body().length)
                .putInt(answer.status())
                .putInt(type.length)
                .put(type)
                .put(answer.body())
                .array();
    }

    private static Answer parse(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        int status = buffer.getInt();
        int body = 2 * Integer.BYTES + buffer.getInt();
        return new Answer(
                status,
                new String(bytes, 2 * Integer.BYTES, body - 2 * Integer.BYTES, StandardCharsets.US_ASCII),
                Arrays.copyOfRange(bytes, body, bytes.length));
    }
}
