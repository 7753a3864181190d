package io.sluice.spring.founding;

import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.RateLimited;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Allows at most {@link #limit} calls in any {@link #period} seconds.
 *
 * <pre>{@code
 * // At most one code per minute for each client address.
 * @LimitPoint(name = "code", prefix = "sms", key = "code", period = 60, limit = 1)
 * public void sendCode(String phone) { … }
 *
 * // At most 100 reports per hour, all callers together.
 * @LimitPoint(key = "report", period = 3600, limit = 100, limitType = LimitType.CUSTOMER)
 * public Report report() { … }
 * }</pre>
 *
 * <p>The limit is a strict sliding window. It counts exactly the calls that pass, by the clock of the engine that decides: the
 * Redis server's clock where counts are shared, otherwise the clock of this process. A refused call throws {@link
 * RateLimitExceededException}.
 *
 * <p>All annotations with the same {@link #prefix} and {@link #key} share one count. Without either, the method has its own
 * count. With {@link LimitType#IP}, each client address has a count of its own; forwarding headers are used only if a trusted
 * proxy sent them. Outside of a request, or if the address is unknown, all calls share one count.
 *
 * <p>For other algorithms, keys taken from arguments, fallbacks and waiting, use {@link RateLimited}.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface LimitPoint {

    /**
     * The display name, and the id of a rule. If a rule with this id is in force, it applies instead of the numbers given here.
     */
    String name() default "";

    /** The name of the limited action: plain text, not an expression. */
    String key() default "";

    /** Text that is put before the key. */
    String prefix() default "";

    /** The length of the window in seconds, at least 1. */
    int period() default 60;

    /** The number of calls that may pass in one window, at least 0. With 0 every call is refused. */
    int limit() default 10;

    /** Determines whether each client address has its own count or all callers share one count. */
    LimitType limitType() default LimitType.IP;
}
