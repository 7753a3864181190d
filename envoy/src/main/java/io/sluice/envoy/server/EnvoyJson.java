package io.sluice.envoy.server;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt64Value;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.sluice.envoy.decide.RateLimitDecider;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The protocol as JSON over HTTP, for whoever has no gRPC: bytes of a body in, status and text out. Knows no server. Never blocks;
 * safe for use by many threads.
 *
 * <p>The parser of protocol buffers takes more than JSON, such as single quotes or keys that repeat: whoever serves this looks
 * first whether a body is JSON in UTF-8.
 */
public final class EnvoyJson {

    private static final JsonFormat.Parser PARSER = JsonFormat.parser();
    private static final JsonFormat.Printer PRINTER = JsonFormat.printer().omittingInsignificantWhitespace();

    private final RateLimitDecider decider;

    public EnvoyJson(RateLimitDecider decider) {
        this.decider = decider;
    }

    /**
     * What is sent back.
     *
     * @param status 200 if the request may pass, 429 if it may not, 400 if it is none
     * @param body a response as JSON; of one that is none, a sentence that says why
     */
    public record Answer(int status, String body) {}

    /** Answers a body, whatever its content type says. */
    public CompletionStage<Answer> answer(byte[] body) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder();
        try {
            PARSER.merge(new String(body, StandardCharsets.UTF_8), request);
            return decider.decide(request.build()).thenApply(EnvoyJson::answer);
        } catch (InvalidProtocolBufferException e) {
            return bad(
                    "body: no RateLimitRequest (expected: JSON such as"
                            + " {\"domain\": \"shop\", \"descriptors\": [{\"entries\": [{\"key\": \"user\", \"value\": \"u-17\"}]}]})");
        } catch (IllegalArgumentException e) {
            return bad(String.valueOf(e.getMessage()));
        }
    }

    /** A body that only looks at what a request with these descriptors would be told. */
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
            throw new IllegalStateException("texts and a number", e);
        }
    }

    private static Answer answer(RateLimitResponse response) {
        try {
            return new Answer(response.getOverallCode() == Code.OK ? 200 : 429, PRINTER.print(response));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("an answer has no messages of unknown types", e);
        }
    }

    private static CompletionStage<Answer> bad(String detail) {
        return CompletableFuture.completedFuture(new Answer(400, detail));
    }
}
