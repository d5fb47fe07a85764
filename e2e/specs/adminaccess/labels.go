// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// beRejected matches the error of an API server that does not accept admin access.
var beRejected = gomega.Or(gomega.Satisfy(apierrors.IsInvalid), gomega.Satisfy(apierrors.IsForbidden))

// expectNeedsLabel asserts that the API server accepts objects of a kind, which
// create creates as dry runs, exactly as long as the label of the namespace has
// the value true. The label has this value before each other one, because a
// server that observes the label late would reject what it should reject anyway.
func expectNeedsLabel(ctx context.Context, e *env.Env, kind string, create func(context.Context) error) {
	ginkgo.GinkgoHelper()
	expect := func(what string, answer gomega.OmegaMatcher, because string) {
		ginkgo.GinkgoHelper()
		gomega.Eventually(ctx, create).WithTimeout(e.Timeouts.Response).Should(answer, "a %s with admin access should be %s, because %s", kind, what, because)
	}
	expectRejected := func(because string) {
		ginkgo.GinkgoHelper()
		expect("rejected", beRejected, because)
	}
	expectAcceptedWithLabel := func() {
		ginkgo.GinkgoHelper()
		namespaces.LabelForAdminAccess(ctx, e, "true")
		expect("accepted", gomega.Succeed(), "the namespace has the label")
	}
	expectRejected("the namespace lacks the label")
	for _, value := range []string{"True", "false", ""} {
		expectAcceptedWithLabel()
		namespaces.LabelForAdminAccess(ctx, e, value)
		expectRejected(fmt.Sprintf("the label has the value %q", value))
	}
	expectAcceptedWithLabel()
	namespaces.RemoveAdminLabel(ctx, e)
	expectRejected("the label was removed")
}
