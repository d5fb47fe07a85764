package suite

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// stays asserts that a promise is not broken for a while, and at its end. A look
// says how it is broken, or else why that could not be seen: a request that gets
// lost breaks no promise.
func (e *Env) stays(ctx context.Context, look func(context.Context) (broken, unseen error), why ...any) {
	ginkgo.GinkgoHelper()
	e.staysFor(ctx, e.Timeouts.Settle, look, why...)
}

func (e *Env) staysFor(ctx context.Context, while time.Duration, look func(context.Context) (broken, unseen error), why ...any) {
	ginkgo.GinkgoHelper()
	gomega.Consistently(ctx, func(ctx context.Context) error {
		broken, _ := look(ctx)
		return broken
	}).WithTimeout(while).Should(gomega.Succeed(), why...)
	// On a busy machine the time may pass without a look, so that the last one
	// is certain only here.
	gomega.Eventually(ctx, func(ctx context.Context) error {
		broken, unseen := look(ctx)
		if broken != nil {
			return gomega.StopTrying(broken.Error())
		}
		return unseen
	}).WithTimeout(e.Timeouts.Refuse).Should(gomega.Succeed(), why...)
}
