package io.sluice.spring.method.expression;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Lets expressions read getters, record components, public fields and sizes. No other method is called. An index works only for
 * maps, lists, arrays and texts, which SpEL handles itself. Thread-safe.
 */
final class ReadAccess implements PropertyAccessor, IndexAccessor {

    /**
     * The sources of existing properties. Other names are not cached, so the map never has more entries than the class has
     * properties.
     */
    private static final ClassValue<Map<String, Source>> KNOWN = new ClassValue<>() {
        @Override
        protected Map<String, Source> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    @FunctionalInterface
    private interface Source {
        @Nullable
        Object of(Object target) throws ReflectiveOperationException;
    }

    @Override
    public Class<?> @Nullable [] getSpecificTargetClasses() {
        return null;
    }

    @Override
    public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
        return target != null && source(target.getClass(), name) != null;
    }

    @Override
    public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
        Source source = target == null ? null : source(target.getClass(), name);
        if (target == null || source == null) {
            throw new AccessException(name + ": no such property");
        }
        try {
            return new TypedValue(source.of(target));
        } catch (ReflectiveOperationException e) {
            throw new AccessException(name + ": cannot be read", e);
        }
    }

    @Override
    public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
        throw new UnsupportedOperationException("expressions only read");
    }

    @Override
    public boolean canRead(EvaluationContext context, Object target, Object index) {
        return true;
    }

    @Override
    public TypedValue read(EvaluationContext context, Object target, Object index) throws AccessException {
        throw new AccessException("an index into a " + target.getClass().getTypeName()
                + " (expected: a map, a list, an array or the request)");
    }

    @Override
    public boolean canWrite(EvaluationContext context, Object target, Object index) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, Object target, Object index, @Nullable Object value) {
        throw new UnsupportedOperationException("expressions only read");
    }

    private static @Nullable Source source(Class<?> type, String name) {
        Map<String, Source> known = KNOWN.get(type);
        Source source = known.get(name);
        if (source == null) {
            source = find(type, name);
            if (source != null) {
                known.put(name, source);
            }
        }
        return source;
    }

    private static @Nullable Source find(Class<?> type, String name) {
        Source count = name.equals("size") || name.equals("length") ? count(type) : null;
        if (count != null) {
            return count;
        }
        Method method = method(type, name);
        if (method != null) {
            Method reachable = ClassUtils.getPubliclyAccessibleMethodIfPossible(method, type);
            ReflectionUtils.makeAccessible(reachable);
            return reachable::invoke;
        }
        Field field = ReflectionUtils.findField(type, name);
        if (field != null && Modifier.isPublic(field.getModifiers()) && !Modifier.isStatic(field.getModifiers())) {
            ReflectionUtils.makeAccessible(field);
            return field::get;
        }
        return null;
    }

    private static @Nullable Source count(Class<?> type) {
        if (Collection.class.isAssignableFrom(type)) {
            return target -> ((Collection<?>) target).size();
        }
        if (Map.class.isAssignableFrom(type)) {
            return target -> ((Map<?, ?>) target).size();
        }
        if (CharSequence.class.isAssignableFrom(type)) {
            return target -> ((CharSequence) target).length();
        }
        return type.isArray() ? Array::getLength : null;
    }

    private static @Nullable Method method(Class<?> type, String name) {
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                if (component.getName().equals(name)) {
                    return component.getAccessor();
                }
            }
        }
        String property = StringUtils.capitalize(name);
        Method getter = getter(type, "get" + property);
        if (getter != null) {
            return getter;
        }
        Method is = getter(type, "is" + property);
        return is != null && (is.getReturnType() == boolean.class || is.getReturnType() == Boolean.class) ? is : null;
    }

    /**
     * Finds the getter of a property. Methods such as {@code getAndIncrement} are excluded, because they change the value that
     * they read.
     */
    private static @Nullable Method getter(Class<?> type, String name) {
        if (name.matches("getAnd\\p{javaUpperCase}.*")) {
            return null;
        }
        try {
            Method method = type.getMethod(name);
            return Modifier.isStatic(method.getModifiers())
                            || method.getReturnType() == void.class
                            || method.getDeclaringClass() == Object.class
                    ? null
                    : method;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
