package io.sluice.envoy.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.sluice.envoy.decide.RateLimitDecider;
import io.sluice.rules.pattern.Origin;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The protocol as JSON over HTTP, for clients without gRPC: takes the bytes of a body, returns a status and text. Independent of
 * any server. Never blocks; thread-safe.
 *
 * <p>The parser of protocol buffers accepts more than JSON, such as single quotes or repeated keys. The server must check first
 * that a body is JSON in UTF-8.
 */
public final class EnvoyJson {

    private static final JsonFormat.Parser PARSER = JsonFormat.parser();
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    private final RateLimitDecider decider;

    public EnvoyJson(RateLimitDecider decider) {
        this.decider = decider;
    }

    /**
     * The response.
     *
     * @param status 200 if the request is allowed, 429 if it is refused, 400 if it is invalid
     * @param body the response as JSON; for status 400 a sentence about the error
     */
    public record Answer(int status, String body) {}

    /** Answers a body of any content type. */
    public CompletionStage<Answer> answer(byte[] body) {
        return answer(body, Origin.UNKNOWN);
    }

    /** Answers the body of a call with this origin. */
    public CompletionStage<Answer> answer(byte[] body, Origin origin) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
        try {
            PARSER.merge(new String(body, StandardCharsets.UTF_8), request);
            return decider.decide(request.build(), origin).thenApply(EnvoyJson::answer);
        } catch (InvalidProtocolBufferException e) {
            return bad(
                    "body: not a RateLimitRequest (expected: JSON such as"
                            + " {\"domain\": \"shop\", \"descriptors\": [{\"entries\": [{\"key\": \"user\", \"value\": \"u-17\"}]}]})");
        } catch (IllegalArgumentException e) {
            return bad(String.valueOf(e.getMessage()));
        }
    }

    /** Returns a body that asks for the decision on a request with these descriptors, without charging it. */
    public static String look(String domain, List<Map<String, String>> descriptors) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
        for (Map<String, String> entries : descriptors) {
            RateLimitDescriptor.Builder descriptor =
                    RateLimitDescriptor.newBuilder().setHitsAddend(UInt64Value.of(0));
            entries.forEach((key, value) -> descriptor.addEntries(
                    RateLimitDescriptor.Entry.newBuilder().setKey(key).setValue(value)));
            request.addDescriptors(descriptor);
        }
        try {
            return PRINTER.print(request);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a request of texts and a number can always be printed", e);
        }
    }

    private static Answer answer(RateLimitResponse response) {
        try {
            return new Answer(response.getOverallCode() == Code.OK ? 200 : 429, PRINTER.print(response));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a response without messages of unknown types can always be printed", e);
        }
    }

    private static CompletionStage<Answer> bad(String detail) {
        return CompletableFuture.completedFuture(new Answer(400, detail));
    }
}
