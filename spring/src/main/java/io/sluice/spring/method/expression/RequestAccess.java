package io.sluice.spring.method.expression;

import io.sluice.spring.CurrentRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;

/** Lets expressions read attributes of a request: {@code #request.ip}, {@code #request['header.x-phone']}. Stateless. */
final class RequestAccess implements PropertyAccessor, IndexAccessor {

    @Override
    public Class<?>[] getSpecificTargetClasses() {
        return new Class<?>[] {CurrentRequest.class};
    }

    @Override
    public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
        return target instanceof CurrentRequest;
    }

    @Override
    public TypedValue read(EvaluationContext context, @Nullable Object target, String name) {
        return target instanceof CurrentRequest request ? new TypedValue(request.attribute(name)) : TypedValue.NULL;
    }

    @Override
    public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
        throw new UnsupportedOperationException("a request is read-only");
    }

    @Override
    public boolean canRead(EvaluationContext context, Object target, Object index) {
        return target instanceof CurrentRequest && index instanceof String;
    }

    @Override
    public TypedValue read(EvaluationContext context, Object target, Object index) {
        return read(context, target, (String) index);
    }

    @Override
    public boolean canWrite(EvaluationContext context, Object target, Object index) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, Object target, Object index, @Nullable Object value) {
        throw new UnsupportedOperationException("a request is read-only");
    }
}
