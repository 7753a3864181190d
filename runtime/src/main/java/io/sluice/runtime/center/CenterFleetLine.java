package io.sluice.runtime.center;

import io.sluice.runtime.fleet.Fleet;
import io.sluice.runtime.fleet.FleetLine;
import io.sluice.runtime.fleet.LostCenterException;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.OutageLog;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The way to a center over HTTP. */
public final class CenterFleetLine implements FleetLine {

    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(3);

    private final Center center;

    public CenterFleetLine(Center center) {
        this.center = center;
    }

    @Override
    public Optional<Fleet> send(NodeReport report) throws LostCenterException {
        HttpRequest request = center.request("/api/nodes/" + report.node() + "/heartbeat")
                .timeout(ANSWER_MAY_TAKE)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .POST(BodyPublishers.ofString(report.toJson()))
                .build();
        CompletableFuture<HttpResponse<String>> sent =
                center.send(request, head -> new BoundedBody(Fleet.MOST_CHARACTERS));
        try {
            HttpResponse<String> answer = sent.get(2 * ANSWER_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
            if (answer.statusCode() != 200) {
                throw center.refusal(answer.statusCode());
            }
            return Optional.of(Fleet.parse(answer.body()));
        } catch (IllegalArgumentException e) {
            throw new LostCenterException("its answer is unreadable: " + e.getMessage(), true);
        } catch (ExecutionException e) {
            throw Center.failure(e);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new LostCenterException("it does not answer", false);
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw new LostCenterException("interrupted", false);
        }
    }

    @Override
    public boolean hasCenter() {
        return true;
    }

    @Override
    public OutageLog log() {
        return center.log();
    }

    @Override
    public void close() {}
}
