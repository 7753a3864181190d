package io.sluice.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * At most {@link #limit} calls in any {@link #period} seconds.
 *
 * <pre>{@code
 * @LimitPoint(name = "code", prefix = "sms", key = "code", period = 60, limit = 1)
 * public void sendCode(String phone) { … }
 * }</pre>
 *
 * <p>A strict sliding window: only calls that pass are counted, every one of them, by the clock of whoever decides. All limits with the
 * same {@link #prefix} and {@link #key} are one count; without either it is the method's own. The client's address is found behind
 * trusted proxies only; outside of a request, and where it is not known, there is one count for all. For all else see {@link RateLimited}.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface LimitPoint {

    /** What people call it, and the id of the rule that is applied instead if it is in force. */
    String name() default "";

    /** What is limited, as plain text. */
    String key() default "";

    /** Stands before the key. */
    String prefix() default "";

    /** In seconds, at least 1. */
    int period() default 60;

    /** At least 0; 0 refuses every call. */
    int limit() default 10;

    /** Whether every client has a count of his own. */
    LimitType limitType() default LimitType.IP;
}
