// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/suite/env"
)

// OtherFinalizer is a finalizer of a third party, which no component of Kubernetes may remove.
const OtherFinalizer = "draconform.dev/kept"

// AddFinalizer adds a finalizer to a claim, so that the claim is not removed when it is deleted
// before the returned function is called or some component removes the finalizer. It is removed
// at the end of the spec.
func AddFinalizer(ctx context.Context, e *env.Env, claim, finalizer string) (remove func(context.Context)) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("adding finalizer %s to claim %s", finalizer, claim))
	remove = func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		ginkgo.By(fmt.Sprintf("removing finalizer %s from claim %s", finalizer, claim))
		gomega.Expect(changeFinalizers(ctx, e, claim, func(all []string) []string {
			return slices.DeleteFunc(all, func(f string) bool { return f == finalizer })
		})).To(gomega.Or(gomega.Succeed(), gomega.Satisfy(apierrors.IsNotFound)))
	}
	ginkgo.DeferCleanup(remove, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	gomega.Expect(changeFinalizers(ctx, e, claim, func(all []string) []string { return append(all, finalizer) })).To(gomega.Succeed())
	return remove
}

// changeFinalizers changes the finalizers of a claim.
func changeFinalizers(ctx context.Context, e *env.Env, claim string, change func([]string) []string) error {
	claims := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		got, err := claims.Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return err
		}
		got.Finalizers = change(got.Finalizers)
		_, err = claims.Update(ctx, got, metav1.UpdateOptions{})
		return err
	})
}

// ExpectFinalizer asserts for a while that a claim exists and has a finalizer.
func ExpectFinalizer(ctx context.Context, e *env.Env, claim, finalizer, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that claim %s keeps finalizer %s", claim, finalizer))
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return fmt.Errorf("claim %s does not exist any more", claim), nil
		case err == nil && !slices.Contains(got.Finalizers, finalizer):
			return fmt.Errorf("claim %s has the finalizers %v", claim, got.Finalizers), nil
		}
		return nil, err
	}, "claim %s should keep finalizer %s, because %s", claim, finalizer, because)
}
