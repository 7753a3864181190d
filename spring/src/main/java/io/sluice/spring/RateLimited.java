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
 * Limits the calls of a method, or of all methods of a class together. The limit is either a rule in force, named by its id, or
 * written in the annotation.
 *
 * <pre>{@code
 * // A rule in force, by its id.
 * @RateLimited("orders")
 * public Order place(Order order) { … }
 *
 * // Limits written here, counted per phone number. Both must pass; they are one decision.
 * @RateLimited(limit = "1", window = "1m", key = "#phone")
 * @RateLimited(limit = "10", window = "1d", key = "#phone")
 * public void send(String phone, String text) { … }
 *
 * // At most four reports at a time. A call waits up to two seconds, then the fallback answers.
 * @RateLimited(algorithm = "concurrency", limit = "4", ttl = "30s", maxWait = "2s", fallback = "later")
 * public CompletionStage<Report> report(ReportId id) { … }
 *
 * CompletionStage<Report> later(ReportId id, RateLimitExceededException refusal) { … }
 * }</pre>
 *
 * <p><b>Costs known afterwards.</b> If {@link #settle} reads the real cost from the result, {@link #permits} is only an estimate, and the
 * limit then counts the real cost.
 *
 * <pre>{@code
 * @RateLimited(rule = "tokens", key = "#prompt.tenant", permits = "#prompt.maxTokens", settle = "#result.usage.totalTokens")
 * public Completion complete(Prompt prompt) { … }
 * }</pre>
 *
 * <p><b>Refusals.</b> A refused call does not reach the method. It throws {@link RateLimitExceededException}, or returns the
 * result of the {@link #fallback}.
 * <ul>
 *   <li>A method that returns a {@code CompletionStage} returns a failed stage.
 *   <li>A method that returns a {@code Mono} or {@code Flux} is decided and called once per subscription, at the time of the
 *       subscription. The publisher signals the error.
 *   <li>Any other method is decided on the calling thread, which waits for a shared store up to the rule's deadline. Do not call
 *       such a method on an event loop.
 * </ul>
 *
 * <p>Permits of a concurrency limit are held until the method returns or throws, or until its stage or publisher ends or is
 * cancelled. They are renewed in the meantime.
 *
 * <p><b>Where annotations are found.</b> An annotation may be on the method itself or, if it has none, on the method that it overrides in a
 * superclass or interface. It may also be on the class or, if the class has none, on a superclass or interface. Limits of the class and of
 * the method <em>add up</em>: an annotation never loosens another annotation. You can use {@code @RateLimited} as a meta-annotation, with
 * {@code @AliasFor} for its attributes. Limits are applied by a Spring proxy. Calls within the same object are therefore not limited, nor
 * are private, final and static methods. A warning is logged at startup if such a method is annotated.
 *
 * <p><b>Expressions.</b> {@link #key}, {@link #permits}, {@link #condition} and {@link #settle} are SpEL expressions. They can use
 * <ul>
 *   <li>{@code #phone}: an argument by its name, or {@code #p0} and {@code #a0} by its position,
 *   <li>{@code #principal}: the authenticated caller,
 *   <li>{@code #request}: the current request, such as {@code #request.ip} or {@code #request['header.x-phone']}; null outside of
 *       a request,
 *   <li>{@code #result}: the result of the method; only in {@link #settle}, which sees neither the caller nor the request.
 * </ul>
 * Expressions read properties and do nothing else. A property is a getter, a record component, a public field, or the
 * {@code size} or {@code length} of a collection, map, array or text. Types, constructors, beans, assignments and other methods
 * are not available. An index works only for maps, lists, arrays and the request. Values that an expression reads are plain text
 * and are never evaluated. Expressions are checked at startup. If a value on the path is null, the result is null. Any other
 * failure makes the call throw, except in {@link #settle}.
 *
 * <p><b>Limits written here</b> use the language of rule documents. All attributes except the four expressions and
 * {@link #fallback} may contain {@code ${placeholders}} of the environment. If a rule with the {@link #id} of the limit is in
 * force, that rule applies instead, so you can change the numbers without a release.
 *
 * <p>{@link #rule} cannot be combined with the attributes that describe a limit: {@link #id}, {@link #rate}, {@link #burst},
 * {@link #limit}, {@link #window}, {@link #algorithm}, {@link #capacity}, {@link #ttl}, {@link #mode} and {@link #onFailure}.
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(RateLimited.All.class)
public @interface RateLimited {

    /** Alias for {@link #rule}: {@code @RateLimited("orders")}. */
    @AliasFor("rule")
    String value() default "";

    /**
     * The id of a rule in force, such as {@code "orders"}. The rule applies regardless of its scope. It counts by the attributes of the
     * current request, and sees {@link #key} as its attribute {@code key}. The property {@code sluice.missing-rule} determines the reaction
     * if no such rule is in force.
     */
    @AliasFor("value")
    String rule() default "";

    /**
     * The id of the limit written here. By default it is generated from the class and the method; on a class, from the class only. Callers
     * see an id that is given here; instead of a generated id they see an opaque name.
     */
    String id() default "";

    /** The refill rate, such as {@code "50/s"}. */
    String rate() default "";

    /** The burst of a token bucket, such as {@code "100"}. By default one second of the rate, at least 1. */
    String burst() default "";

    /** The number of permits in a window, such as {@code "10"}, or the number of calls that a concurrency limit admits at the same time. */
    String limit() default "";

    /** The length of the window, such as {@code "1m"}. */
    String window() default "";

    /**
     * The algorithm, such as {@code "leaky_bucket"}. By default {@code token_bucket} if a rate is given, otherwise {@code sliding_window}.
     */
    String algorithm() default "";

    /** The capacity of a leaky bucket, such as {@code "20"}. */
    String capacity() default "";

    /** The lifetime of a concurrency permit without renewal, such as {@code "30s"}. After that it is free again even if its holder died. */
    String ttl() default "";

    /** The mode in which the limit is counted: {@code distributed} (default), {@code local_distributed} or {@code local}. */
    String mode() default "";

    /** The policy while the shared store is unavailable: {@code local} (default), {@code open} or {@code closed}. */
    String onFailure() default "";

    /**
     * An expression for the caller to count by, such as {@code "#phone"}. By default all calls share one count. The value can be text, a
     * number, any type with its own {@code toString}, or a list of such values for a compound key: {@code "{#tenant, #user}"}.
     *
     * <p>If the value is null, the call is counted by the client's address; outside of a request it is counted in one shared count. A rule
     * can choose another policy with {@code absent}.
     */
    String key() default "";

    /**
     * The number of permits that a call takes, as a number or an expression such as {@code "#items.size"}. Null takes 1; 0 skips the limit.
     * Together with {@link #settle} it is the number of permits that a call reserves, and 0 reserves 1. A limit with a {@code cost} of its
     * own reserves that cost.
     */
    String permits() default "1";

    /**
     * An expression for the real cost of a call, such as {@code "#result.usage.totalTokens"}: a whole number of 0 or more. Permits that the
     * call reserved and did not use are given back. Permits that it used beyond its reservation are charged, even if none are left.
     *
     * <p>{@code #result} is the value that the method returns, or the value of its stage, {@code Mono}, suspend function, {@code
     * DeferredResult} or {@code Callable}. An {@code Optional} is unwrapped. For a {@code Flux}, {@code Flow} or {@code Stream} it is the
     * last element from which the expression reads a cost, even if the consumer cancels or a later element fails. A {@code Stream} ends
     * when it is read to its end or closed.
     *
     * <p>The reservation stays charged if the call fails or if no result contains the cost. This is logged once per annotation. Settling
     * never delays the result, and its failures never reach the caller.
     *
     * <p>It settles the limits of the rule whose {@code cost} has {@code settle}. If there are no such limits, it settles all limits
     * without a {@code cost}. Permits of concurrency limits and leaky buckets cannot be settled.
     */
    String settle() default "";

    /**
     * An expression that is true for calls that are limited, such as {@code "#order.urgent"}. A null value counts as true, so that a caller
     * cannot avoid the limit by leaving a value out.
     */
    String condition() default "";

    /**
     * The name of a method of the same class that answers refused calls. It has the same parameters, optionally followed by the
     * {@link RateLimitExceededException}, and a compatible return type.
     */
    String fallback() default "";

    /**
     * The maximum time that a call waits until it is admitted, such as {@code "250ms"}. If several annotations set it, the shortest time
     * counts. By default a call waits only for a time slot that a shaping limit assigns; with {@code "0"} it does not even wait for that.
     */
    String maxWait() default "";

    /** Holds several {@link RateLimited} annotations. The compiler adds it. */
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Documented
    @interface All {
        RateLimited[] value();
    }
}
