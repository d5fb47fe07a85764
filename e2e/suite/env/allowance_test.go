// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
)

func TestOperationsHaveAnAllowanceTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		a := NewAllowance(5 * time.Second)
		left := func() (left time.Duration) {
			a.Use(t.Context(), func(ctx context.Context) {
				deadline, _ := ctx.Deadline()
				left = time.Until(deadline)
			})
			return left
		}
		a.Use(t.Context(), func(context.Context) { time.Sleep(2 * time.Second) }) //nolint:forbidigo // Time passes at once here.
		g.Expect(left()).To(Equal(3 * time.Second))
		a.Use(t.Context(), func(ctx context.Context) { <-ctx.Done() })
		g.Expect(left()).To(BeZero())
		a = nil
		g.Expect(left()).To(Equal(alone))
	})
}
