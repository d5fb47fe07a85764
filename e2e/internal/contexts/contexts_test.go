// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package contexts_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/contexts"
)

func TestEndingWith(t *testing.T) {
	errOwn, errOther, errWhy := errors.New("own end"), errors.New("end of the other"), errors.New("a reason")
	for name, test := range map[string]struct {
		why    error
		happen func(end, endOther context.CancelCauseFunc, stop func())
		want   error
	}{
		"nothing happens":              {why: errWhy, happen: func(_, _ context.CancelCauseFunc, _ func()) {}},
		"its context ends":             {why: errWhy, happen: func(end, _ context.CancelCauseFunc, _ func()) { end(errOwn) }, want: errOwn},
		"the other ends":               {why: errWhy, happen: func(_, endOther context.CancelCauseFunc, _ func()) { endOther(errOther) }, want: errWhy},
		"the other ends for no reason": {happen: func(_, endOther context.CancelCauseFunc, _ func()) { endOther(errOther) }},
		"it is stopped": {why: errWhy, want: context.Canceled, happen: func(_, endOther context.CancelCauseFunc, stop func()) {
			stop()
			endOther(errOther)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				ctx, end := context.WithCancelCause(t.Context())
				other, endOther := context.WithCancelCause(t.Context())
				asked := 0
				got, stop := contexts.EndingWith(ctx, other, func() error { asked++; return test.why })
				test.happen(end, endOther, stop)
				synctest.Wait()
				if test.want == nil {
					g.Expect(context.Cause(got)).To(Succeed())
				} else {
					g.Expect(context.Cause(got)).To(Equal(test.want))
				}
				g.Expect(ctx.Err() != nil).To(Equal(errors.Is(test.want, errOwn)), "only the copy ends")

				stop()
				before := asked
				endOther(errOther)
				synctest.Wait()
				g.Expect(got.Err()).To(HaveOccurred())
				g.Expect(asked).To(Equal(before), "nothing of it remains")
			})
		})
	}
}
