// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// updated is an object as an update would store it.
type updated struct {
	meta   metav1.ObjectMeta
	spec   any
	status any
}

// expectUpdatesKeepFields asserts that an update of the labels of an object changes
// nothing else. An API server that has a feature disabled must keep its fields in objects
// that have them. The updates are dry runs.
func (r *Run) expectUpdatesKeepFields(ctx context.Context) {
	ginkgo.GinkgoHelper()
	if r.isClassic() {
		return
	}
	var problems []string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		now, err := r.getObjects(ctx)
		if err == nil {
			problems, err = r.lostInUpdates(ctx, now)
		}
		return err
	}).WithTimeout(r.Timeouts.Recovery).Should(gomega.Succeed(), "the API server should respond to updates")
	gomega.Expect(problems).To(gomega.BeEmpty(), "objects should keep the fields that they have in an update of their labels")
}

// lostInUpdates returns what objects lose in an update of their labels.
func (r *Run) lostInUpdates(ctx context.Context, now objects) ([]string, error) {
	var problems []string
	var errs []error
	try := func(name string, stored updated, update func(context.Context) (updated, error)) {
		result, err := update(ctx)
		if err == nil {
			problems = append(problems, result.lacks(name, stored)...)
		} else if !isNoAnswer(err) {
			errs = append(errs, fmt.Errorf("update %s: %w", name, err))
		}
	}
	for name, claim := range now.claims {
		try("claim "+name, updated{claim.ObjectMeta, claim.Spec, claim.Status}, r.updateClaim(claim))
	}
	for name, o := range now.others {
		if o.update != nil {
			try(name, updated{meta: o.meta, spec: o.spec}, o.update)
		}
	}
	slices.Sort(problems)
	return problems, errors.Join(errs...)
}

// isNoAnswer reports whether an error of an update states nothing about fields. An
// object may have been changed or removed meanwhile. An API server also rejects updates of
// objects that are valid in another release only: a slice with devices and counters, for
// example, since 1.35.
func isNoAnswer(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsInvalid(err)
}

// lacks returns what an update has changed in a stored object.
func (is updated) lacks(name string, was updated) []string {
	all := append(lostMetadata(name, was.meta, is.meta), lostFinalizers(name, was.meta, is.meta)...)
	if !equality.Semantic.DeepEqual(is.spec, was.spec) {
		all = append(all, fmt.Sprintf("the spec of %s would change to %s from %s", name, inJSON(is.spec), inJSON(was.spec)))
	}
	if !equality.Semantic.DeepEqual(is.status, was.status) {
		all = append(all, fmt.Sprintf("the status of %s would change to %s from %s", name, inJSON(is.status), inJSON(was.status)))
	}
	return all
}

var dryRun = metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}

func withLabel(meta *metav1.ObjectMeta) { metav1.SetMetaDataLabel(meta, "draconform.dev/updated", "") }

func (r *Run) updateClaim(claim resourceapi.ResourceClaim) func(context.Context) (updated, error) {
	return func(ctx context.Context) (updated, error) {
		changed := claim.DeepCopy()
		withLabel(&changed.ObjectMeta)
		got, err := r.Client.ResourceV1().ResourceClaims(r.Namespace).Update(ctx, changed, dryRun)
		if err != nil {
			return updated{}, err
		}
		return updated{got.ObjectMeta, got.Spec, got.Status}, nil
	}
}

func (r *Run) updateSlice(slice resourceapi.ResourceSlice) func(context.Context) (updated, error) {
	return func(ctx context.Context) (updated, error) {
		changed := slice.DeepCopy()
		withLabel(&changed.ObjectMeta)
		got, err := r.Client.ResourceV1().ResourceSlices().Update(ctx, changed, dryRun)
		if err != nil {
			return updated{}, err
		}
		return updated{meta: got.ObjectMeta, spec: got.Spec}, nil
	}
}

func (r *Run) updateTemplate(template resourceapi.ResourceClaimTemplate) func(context.Context) (updated, error) {
	return func(ctx context.Context) (updated, error) {
		changed := template.DeepCopy()
		withLabel(&changed.ObjectMeta)
		got, err := r.Client.ResourceV1().ResourceClaimTemplates(r.Namespace).Update(ctx, changed, dryRun)
		if err != nil {
			return updated{}, err
		}
		return updated{meta: got.ObjectMeta, spec: got.Spec}, nil
	}
}

func (r *Run) updateClass(class resourceapi.DeviceClass) func(context.Context) (updated, error) {
	return func(ctx context.Context) (updated, error) {
		changed := class.DeepCopy()
		withLabel(&changed.ObjectMeta)
		got, err := r.Client.ResourceV1().DeviceClasses().Update(ctx, changed, dryRun)
		if err != nil {
			return updated{}, err
		}
		return updated{meta: got.ObjectMeta, spec: got.Spec}, nil
	}
}
