package io.sluice.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Limits the calls of a method, or of all methods of a class together: by a rule in force, or by a limit that is written here.
 *
 * <pre>{@code
 * @RateLimited("orders")                                                  // a rule by its id
 * public Order place(Order order) { … }
 *
 * @RateLimited(limit = "1", window = "1m", key = "#phone")                // a limit of its own, one count for each phone
 * @RateLimited(limit = "10", window = "1d", key = "#phone")               // all of them are one decision
 * public void send(String phone, String text) { … }
 *
 * @RateLimited(algorithm = "concurrency", limit = "4", ttl = "30s", maxWait = "2s", fallback = "later")
 * public CompletionStage<Report> report(ReportId id) { … }
 *
 * CompletionStage<Report> later(ReportId id, RateLimitExceededException refusal) { … }
 * }</pre>
 *
 * <p>A refused call does not reach the method: it ends with a {@link RateLimitExceededException}, or with what {@link #fallback}
 * gives. A method that returns a {@code CompletionStage} fails its stage; one that returns a {@code Mono} or {@code Flux} is decided
 * and called anew for each subscription, when somebody subscribes, and signals the error. Permits of concurrency limits are
 * held until the method, the stage or the publisher ends or is cancelled, and renewed meanwhile. Other methods are decided on the calling
 * thread, which waits for a shared store up to the rule's deadline: do not call them on an event loop.
 *
 * <p><b>Where it is found.</b> On the method, or else on the method of a superclass or interface that it overrides; and on the class,
 * or else its superclasses and interfaces. Limits of the class and of the method <em>add up</em>: an annotation never loosens another.
 * Other annotations may carry it, with {@code @AliasFor} for its attributes. It is applied by a Spring proxy: calls within an
 * object, and private, final and static methods, are not limited (the start warns of those).
 *
 * <p><b>Expressions</b> ({@link #key}, {@link #permits}, {@link #condition}) are SpEL over {@code #argument} by its name,
 * {@code #p0} or {@code #a0} by its position, {@code #principal} (who is verified to call) and {@code #request}
 * ({@code #request.ip}, {@code #request['header.x-phone']}), null outside of a request. They read properties (getters, components of
 * records, public fields, {@code size} and {@code length} of collections, maps, arrays and texts) and nothing else: no types,
 * constructors, beans, other methods or assignments, and no index into anything but a map, a list, an array or the request. What they read is text and is never evaluated. They are checked at start.
 * If there is a null on the way, the value is null; any other failure is an exception of the call.
 *
 * <p><b>Limits written here</b> use the language of rule documents. Other values may have {@code ${placeholders}} of the environment.
 * If a rule with the {@link #id} of a limit is in force, it is applied instead: numbers in code can be changed without a release.
 *
 * <p>{@code mode}, {@code rate} and so on belong to one limit; {@code rule} excludes them.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(RateLimited.All.class)
public @interface RateLimited {

    /** The same as {@link #rule}. */
    @AliasFor("rule")
    String value() default "";

    /**
     * The id of a rule in force; its scope is not looked at. What it counts by is taken from the current request, and {@link #key} is
     * its attribute {@code key}. What happens if there is none says {@code sluice.annotations.missing-rule}.
     */
    @AliasFor("value")
    String rule() default "";

    /** The id of the limit written here; by default made from class and method, or from the class alone on a class. */
    String id() default "";

    /** Such as {@code 50/s}. */
    String rate() default "";

    /** Of a token bucket, such as {@code 100}. */
    String burst() default "";

    /** So many in a window, or at once. */
    String limit() default "";

    /** Such as {@code 1m}. */
    String window() default "";

    /** By default {@code token_bucket} with a rate, else {@code sliding_window}. */
    String algorithm() default "";

    /** Of a leaky bucket. */
    String capacity() default "";

    /** After which permits of a concurrency limit are taken back if nobody renews them. */
    String ttl() default "";

    /** {@code distributed} (default), {@code local_distributed} or {@code local}. */
    String mode() default "";

    /** {@code local} (default), {@code open} or {@code closed}. */
    String onFailure() default "";

    /**
     * Whose count it is; by default one for all. Text, a number or anything else with a text of its own, or a list of such things:
     * {@code {#tenant, #user}}. Null counts by the client's address, or outside a request in one count for all of them; a rule
     * may say otherwise ({@code absent}).
     */
    String key() default "";

    /** How many permits a call takes: a number or an expression. Null takes 1; 0 takes none and asks nobody. */
    String permits() default "1";

    /** The limit is for calls of which this holds; null holds, so that a missing value escapes no limit. */
    String condition() default "";

    /**
     * A method of the same class that answers refused calls instead: with the same parameters, and if it likes the exception as the
     * last one.
     */
    String fallback() default "";

    /**
     * How long a call may wait for its moment, such as {@code 250ms}; of several the shortest. By default only for the time slot that a
     * shaping limit gives; {@code 0} does not even wait for that.
     */
    String maxWait() default "";

    /** Several of them. */
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @interface All {
        RateLimited[] value();
    }
}
