// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// ExpectStable asserts that a condition holds for a while, and at the end of
// it. check returns how the condition is violated, or why it could not be
// checked. A failed request does not violate the condition.
func ExpectStable(ctx context.Context, e *Env, check func(context.Context) (violation, checkErr error), why ...any) {
	ginkgo.GinkgoHelper()
	ExpectStableFor(ctx, e, e.Timeouts.Stable, check, why...)
}

// ExpectStableFor is [ExpectStable] for the given duration instead of
// Timeouts.Stable.
func ExpectStableFor(ctx context.Context, e *Env, while time.Duration, check func(context.Context) (violation, checkErr error), why ...any) {
	ginkgo.GinkgoHelper()
	gomega.Consistently(ctx, func(ctx context.Context) error {
		violation, _ := check(ctx)
		return violation
	}).WithTimeout(while).Should(gomega.Succeed(), why...)
	// On a busy machine the time may pass without a successful check, so the
	// condition is checked once more.
	gomega.Eventually(ctx, func(ctx context.Context) error {
		violation, checkErr := check(ctx)
		if violation != nil {
			return gomega.StopTrying(violation.Error())
		}
		return checkErr
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), why...)
}
