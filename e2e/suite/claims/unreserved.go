// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForUnreserved waits until claims are reserved for nothing at the same time.
// They may still be allocated.
func WaitForUnreserved(ctx context.Context, e *env.Env, because string, names ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until nothing uses claims " + strings.Join(names, ", "))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		existing, err := getEach(ctx, e, names)
		if err != nil {
			return err
		}
		var errs []error
		for _, name := range names {
			claim, ok := existing[name]
			switch {
			case !ok:
				errs = append(errs, fmt.Errorf("claim %s does not exist", name))
			case len(claim.Status.ReservedFor) > 0:
				user := claim.Status.ReservedFor[0]
				errs = append(errs, fmt.Errorf("claim %s is reserved for %s %s", name, user.Resource, user.Name))
			}
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "claims %s should not be reserved, because %s", strings.Join(names, ", "), because)
}
