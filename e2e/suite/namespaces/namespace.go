// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package namespaces creates the namespace of a spec, and dumps and deletes the
// objects of the spec.
package namespaces

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/suite/env"
)

// AllowAdminAccess allows claims of the spec to request admin access. It sets
// the label that the API server requires on their namespace, until the end of
// the spec. The spec must have [env.NeedsOwnNamespace].
func AllowAdminAccess(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	LabelForAdminAccess(ctx, e, "true")
}

// LabelForAdminAccess sets the label of [AllowAdminAccess] to a value, until the
// end of the spec.
func LabelForAdminAccess(ctx context.Context, e *env.Env, value string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("labelling the namespace for admin access with %q", value))
	if e.Guest != nil { // The namespace stays for the next spec.
		e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return setAdminLabel(ctx, e, nil) })
	}
	gomega.Expect(setAdminLabel(ctx, e, &value)).To(gomega.Succeed())
}

// RemoveAdminLabel removes the label of [AllowAdminAccess].
func RemoveAdminLabel(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	ginkgo.By("removing the label for admin access from the namespace")
	gomega.Expect(setAdminLabel(ctx, e, nil)).To(gomega.Succeed())
}

// setAdminLabel sets the label to a value, or removes it.
func setAdminLabel(ctx context.Context, e *env.Env, value *string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]*string{resourceapi.DRAAdminNamespaceLabelKey: value}}})
	if err == nil {
		_, err = e.Client.CoreV1().Namespaces().Patch(ctx, e.Namespace, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return fmt.Errorf("label namespace %s for admin access: %w", e.Namespace, err)
	}
	return nil
}

// Create creates the namespace of the spec, or of all specs of a guest. If it returns an
// error, it has deleted the namespace, unless that belongs to others.
func Create(ctx context.Context, e *env.Env) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: e.Namespace, Labels: map[string]string{}}}
	maps.Copy(namespace.Labels, e.Labels)
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	_, err := e.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	err = fmt.Errorf("create namespace %s: %w", e.Namespace, err)
	if !env.MayHaveCreated(err) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.Timeouts.Deletion)
	defer cancel()
	return errors.Join(err, remove(ctx, e))
}

// WaitForServiceAccount waits for the default service account of the namespace.
// The API server does not admit pods before it exists.
func WaitForServiceAccount(ctx context.Context, e *env.Env) error {
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, e.Timeouts.Response, true, func(ctx context.Context) (bool, error) {
		_, err := e.Client.CoreV1().ServiceAccounts(e.Namespace).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait for the default service account of namespace %s: %w", e.Namespace, err)
	}
	return nil
}

// CreateOther creates another namespace and returns an environment for it. The
// namespace is deleted at the end of the spec.
func CreateOther(ctx context.Context, e *env.Env) *env.Env {
	ginkgo.GinkgoHelper()
	return createOther(ctx, e, e.Labels)
}

// CreateForAdmins is [CreateOther] for a namespace in which claims can request
// admin access. Unlike [AllowAdminAccess], it needs no right to label namespaces.
func CreateForAdmins(ctx context.Context, e *env.Env) *env.Env {
	ginkgo.GinkgoHelper()
	labels := map[string]string{resourceapi.DRAAdminNamespaceLabelKey: "true"}
	maps.Copy(labels, e.Labels)
	return createOther(ctx, e, labels)
}

// Of returns the names of all namespaces that the spec may have. The second one
// exists only after [CreateOther] or [CreateForAdmins].
func Of(e *env.Env) []string { return []string{e.Namespace, otherName(e)} }

func otherName(e *env.Env) string { return e.UniqueName() + "-other" }

func createOther(ctx context.Context, e *env.Env, labels map[string]string) *env.Env {
	ginkgo.GinkgoHelper()
	other := *e
	other.Namespace = otherName(e)
	ginkgo.By(fmt.Sprintf("creating namespace %s", other.Namespace))
	namespaces := e.Client.CoreV1().Namespaces()
	_, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other.Namespace, Labels: labels}}, metav1.CreateOptions{})
	if env.MayHaveCreated(err) {
		ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
			gomega.Expect(errors.Join(deletePodsAndClaims(ctx, contentOf(&other)), remove(ctx, &other))).To(gomega.Succeed())
		}, ginkgo.NodeTimeout(2*e.Timeouts.Deletion))
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(WaitForServiceAccount(ctx, &other)).To(gomega.Succeed())
	return &other
}
