package io.sluice.spring.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.context.annotation.Import;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Imports those of the named auto-configurations that are on the class path, in this order. Spring Boot 3.5 and 4 have different
 * names for the same ones.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import(NamedAutoConfigurations.Selector.class)
public @interface NamedAutoConfigurations {

    String[] value();

    /** Selects the names that exist. */
    final class Selector implements DeferredImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            String[] names = (String[]) importing
                    .getAnnotationAttributes(NamedAutoConfigurations.class.getName())
                    .get("value");
            return Arrays.stream(names)
                    .filter(name -> ClassUtils.isPresent(name, null))
                    .toArray(String[]::new);
        }
    }
}
