// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
)

func TestUnrecoverableErrorsEndThePlugin(t *testing.T) {
	g := NewWithT(t)
	ctx, fail := context.WithCancelCause(t.Context())
	d := &driver{fail: fail}
	d.HandleError(ctx, recoverable{errors.New("conflict")}, "publishing")
	g.Expect(ctx.Err()).NotTo(HaveOccurred())

	d.HandleError(ctx, fmt.Errorf("serve: %w", grpc.ErrServerStopped), "registrar gRPC server failed")
	g.Expect(ctx.Err()).NotTo(HaveOccurred(), "a driver may be stopped before it serves")

	broken := errors.New("broken")
	d.HandleError(ctx, broken, "DRA gRPC server failed")
	g.Expect(context.Cause(ctx)).To(MatchError(broken))
	g.Expect(context.Cause(ctx)).To(MatchError("DRA gRPC server failed: broken"))
}
