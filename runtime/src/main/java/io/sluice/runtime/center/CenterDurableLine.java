package io.sluice.runtime.center;

import io.sluice.runtime.durable.DurableLine;
import io.sluice.runtime.durable.DurableSum;
import io.sluice.runtime.durable.RefusedSumsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The way of durable sums to a center over HTTP, as lines of text. Thread-safe.
 *
 * <p><b>Why the center says how many lines there are.</b> A proxy in front of it may answer in its place, with a page about maintenance or
 * with nothing at all. Sums would count as sent then, and an empty Redis as restored.
 */
public final class CenterDurableLine implements DurableLine {

    /** The most sums in an answer of the center. */
    public static final int PAGE = 500;

    private static final Duration ANSWERS_MAY_TAKE = Duration.ofSeconds(10);

    private static final int BAD_REQUEST = 400;

    /** More than any page has. */
    private static final int LONGEST_ANSWER = 8 * 1024 * 1024;

    /** A body of the center has at most a megabyte. */
    private static final int LONGEST_BODY = 512 * 1024;

    /** Begins the last line of a page, before the number of sums. */
    private static final String END = "end\t";

    /** More than a center keeps. */
    private static final int MOST_SUMS = 2_000_000;

    private static final String NOT_A_CENTER = "the answer is not that of a center; does a proxy answer in its place?";

    private final Center center;

    public CenterDurableLine(Center center) {
        this.center = center;
    }

    @Override
    public void send(List<DurableSum> sums) throws IOException {
        post("/api/durable/sums", sums.stream().map(DurableSum::text).toList());
    }

    @Override
    public List<DurableSum> earlierThan(String store) throws IOException {
        return pages("/api/durable/restores/" + store, true);
    }

    @Override
    public List<DurableSum> all() throws IOException {
        return pages("/api/durable/sums", false);
    }

    @Override
    public void remove(List<DurableSum> sums) throws IOException {
        post("/api/durable/erasures", sums.stream().map(DurableSum::ref).toList());
    }

    /** Returns the answer of a center that has taken so many lines. */
    public static String receipt(int lines) {
        return "{\"sums\":" + lines + "}";
    }

    /** Returns the answer of a center with these sums. */
    public static String page(List<DurableSum> sums) {
        StringBuilder text = new StringBuilder();
        sums.forEach(sum -> text.append(sum.text()).append('\n'));
        return text.append(END).append(sums.size()).append('\n').toString();
    }

    private void post(String path, List<String> lines) throws IOException {
        StringBuilder body = new StringBuilder();
        int count = 0;
        for (String line : lines) {
            if (body.length() + line.length() > LONGEST_BODY) {
                post(path, body, count);
                body.setLength(0);
                count = 0;
            }
            body.append(line).append('\n');
            count++;
        }
        if (count > 0) {
            post(path, body, count);
        }
    }

    private void post(String path, StringBuilder body, int lines) throws IOException {
        if (!answer(post(path, body.toString())).strip().equals(receipt(lines))) {
            throw new IOException(NOT_A_CENTER);
        }
    }

    private HttpRequest.Builder post(String path, String body) {
        return center.request(path)
                .header("Content-Type", "text/plain; charset=utf-8")
                .POST(BodyPublishers.ofString(body));
    }

    /** The name of the last sum of a page leads to the next one. */
    private List<DurableSum> pages(String path, boolean posts) throws IOException {
        List<DurableSum> all = new ArrayList<>();
        String after = "";
        for (int last = PAGE; last == PAGE; ) {
            String page = path + "?after=" + after;
            List<DurableSum> some =
                    read(answer(posts ? post(page, "") : center.request(page).GET()), after);
            all.addAll(some);
            last = some.size();
            after = some.isEmpty() ? "" : some.get(last - 1).ref();
            if (all.size() > MOST_SUMS) {
                throw new IOException("the center has more than " + MOST_SUMS + " durable sums");
            }
        }
        return all;
    }

    /** Reads a page. Its sums are in order, and come after those of the page before. */
    private static List<DurableSum> read(String text, String after) throws IOException {
        List<String> lines = text.lines().toList();
        List<DurableSum> sums = new ArrayList<>();
        if (lines.isEmpty() || !lines.get(lines.size() - 1).equals(END + (lines.size() - 1))) {
            throw new IOException(NOT_A_CENTER);
        }
        String last = after;
        for (String line : lines.subList(0, lines.size() - 1)) {
            try {
                DurableSum sum = DurableSum.parse(line);
                String ref = sum.ref();
                if (ref.compareTo(last) <= 0) {
                    throw new IOException("the center repeats durable sums");
                }
                sums.add(sum);
                last = ref;
            } catch (IllegalArgumentException e) {
                throw new IOException("the center answers with " + e.getMessage(), e);
            }
        }
        return sums;
    }

    /** A proxy refuses requests in other words, and refuses all of them. */
    private static boolean isOfCenter(HttpResponse<String> answer) {
        return answer.headers()
                .firstValue("Content-Type")
                .filter(type -> type.startsWith("application/problem+json"))
                .isPresent();
    }

    private String answer(HttpRequest.Builder request) throws IOException {
        CompletableFuture<HttpResponse<String>> sent =
                center.send(request.timeout(ANSWERS_MAY_TAKE).build(), head -> new BoundedBody(LONGEST_ANSWER));
        try {
            HttpResponse<String> answer = sent.get(2 * ANSWERS_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
            if (answer.statusCode() != 200) {
                String why = "the center cannot be used: "
                        + center.refusal(answer.statusCode()).why();
                throw answer.statusCode() == BAD_REQUEST && isOfCenter(answer)
                        ? new RefusedSumsException(why)
                        : new IOException(why);
            }
            return answer.body();
        } catch (ExecutionException e) {
            throw new IOException(
                    "the center cannot be used: " + Center.failure(e).why(), e);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new IOException("the center does not answer", e);
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
