package plugin

import (
	"context"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
)

func TestErrorsThatCannotBeRecoveredFromEndThePlugin(t *testing.T) {
	g := NewWithT(t)
	ctx, fail := context.WithCancelCause(t.Context())
	d := &driver{fail: fail}
	d.HandleError(ctx, recoverable{errors.New("conflict")}, "publishing")
	g.Expect(ctx.Err()).NotTo(HaveOccurred())

	d.HandleError(ctx, fmt.Errorf("serve: %w", grpc.ErrServerStopped), "registrar gRPC server failed")
	g.Expect(ctx.Err()).NotTo(HaveOccurred(), "a driver that is stopped at once was not yet serving")

	broken := errors.New("broken")
	d.HandleError(ctx, broken, "DRA gRPC server failed")
	g.Expect(context.Cause(ctx)).To(MatchError(broken))
	g.Expect(context.Cause(ctx)).To(MatchError("DRA gRPC server failed: broken"))
}
