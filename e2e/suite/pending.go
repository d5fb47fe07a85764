package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
)

// StayPending asserts that pods are not scheduled and get no devices for a
// while. Unlike [Env.AllRefused] it accepts any message of the scheduler,
// including errors. It returns the scheduler's messages, joined by newlines.
func (e *Env) StayPending(ctx context.Context, because string, names ...string) string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("looking whether %s stay without a node", plural("pod", names)))
	var said []string
	pending := func(ctx context.Context) error {
		said = nil
		there, err := e.podsAndClaims(ctx)
		if err != nil {
			return err
		}
		var errs []error
		for _, name := range names {
			pod, ok := there.pods[name]
			if !ok {
				errs = append(errs, fmt.Errorf("pod %s is not there", name))
				continue
			}
			errs = append(errs, e.gotNothing(ctx, pod, there))
			scheduled := condition(pod, corev1.PodScheduled)
			if scheduled == nil || scheduled.Message == "" {
				errs = append(errs, fmt.Errorf("the scheduler says nothing of pod %s: %s", name, e.whyNot(ctx, pod)))
				continue
			}
			said = append(said, scheduled.Message)
		}
		return errors.Join(errs...)
	}
	why := fmt.Sprintf("%s should stay pending, because %s", plural("pod", names), because)
	e.comesAndStays(ctx, pending, pending, why)
	return strings.Join(said, "\n")
}
