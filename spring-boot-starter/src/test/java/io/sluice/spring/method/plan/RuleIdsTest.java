package io.sluice.spring.method.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;

final class RuleIdsTest {

    interface Remote {
        String call(String name);
    }

    static class Overloaded {
        public void call(String name) {}

        void call(int number) {}

        public void alone() {}
    }

    @Test
    void proxiesAreNamedAfterTheInterfaceThatDeclaresTheMethod() throws Exception {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Runnable.class, Remote.class}, (self, method, args) -> "");
        var declared = Remote.class.getMethod("call", String.class);
        String expected = RuleIds.of(Remote.class, declared);

        assertThat(RuleIds.of(proxy.getClass(), AopUtils.getMostSpecificMethod(declared, proxy.getClass())))
                .isEqualTo(expected)
                .contains("RuleIdsTest.Remote.call");
        assertThat(RuleIds.of(proxy.getClass())).isEqualTo("java.lang.Runnable");
        Remote lambda = name -> name;
        assertThat(RuleIds.of(lambda.getClass(), AopUtils.getMostSpecificMethod(declared, lambda.getClass())))
                .isEqualTo(expected);
        Supplier<String> supplier = () -> "";
        assertThat(RuleIds.of(supplier.getClass(), supplier.getClass().getMethod("get")))
                .isEqualTo("java.util.function.Supplier.get");
    }

    @Test
    void overloadsOfAnyVisibilityHaveDifferentIds() throws Exception {
        String text = RuleIds.of(Overloaded.class, Overloaded.class.getMethod("call", String.class));
        String number = RuleIds.of(Overloaded.class, Overloaded.class.getDeclaredMethod("call", int.class));
        assertThat(text).isNotEqualTo(number);
        assertThat(RuleIds.of(Overloaded.class, Overloaded.class.getMethod("alone")))
                .isEqualTo(RuleIds.of(Overloaded.class.getName() + ".alone"));
    }

    @Test
    void nestedClassesAndPackagesHaveDifferentIds() {
        assertThat(RuleIds.of("com.acme.Shop$Part.call"))
                .startsWith("com.acme.Shop.Part.call-")
                .isNotEqualTo(RuleIds.of("com.acme.Shop.Part.call"));
        assertThat(RuleIds.of("com.acme.Shop.call")).isEqualTo("com.acme.Shop.call");
    }
}
