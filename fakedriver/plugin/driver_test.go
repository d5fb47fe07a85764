package plugin

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
)

func TestErrorsThatCannotBeRecoveredFromEndThePlugin(t *testing.T) {
	g := NewWithT(t)
	ctx, fail := context.WithCancelCause(t.Context())
	d := &driver{fail: fail}
	d.HandleError(ctx, recoverable{errors.New("conflict")}, "publishing")
	g.Expect(ctx.Err()).NotTo(HaveOccurred())

	broken := errors.New("broken")
	d.HandleError(ctx, broken, "DRA gRPC server failed")
	g.Expect(context.Cause(ctx)).To(MatchError(broken))
	g.Expect(context.Cause(ctx)).To(MatchError("DRA gRPC server failed: broken"))
}
