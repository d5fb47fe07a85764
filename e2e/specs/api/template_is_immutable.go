// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// templateIsImmutable updates a template: its metadata, which is possible, and its
// spec, which is not.
var templateIsImmutable = suite.Spec{
	ID:           "template-is-immutable",
	Description:  "The API server rejects changes of the spec of a ResourceClaimTemplate.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Requirements: []string{"4381-template-is-immutable"},
	Body: func(ctx context.Context, e *env.Env) {
		createTemplate(ctx, e, "template", []devices.Request{{Name: "device", Device: subject.Device{Class: "first.draconform.dev"}}})
		err := changeTemplate(ctx, e, "template", func(template *resourceapi.ResourceClaimTemplate) {
			template.Annotations = map[string]string{note: "changed"}
		})
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the annotations of a template should be mutable")

		for what, change := range map[string]func(*resourceapi.ResourceClaimTemplateSpec){
			"the class of its request": func(spec *resourceapi.ResourceClaimTemplateSpec) {
				spec.Spec.Devices.Requests[0].Exactly.DeviceClassName = "second.draconform.dev"
			},
			"the labels of its claims": func(spec *resourceapi.ResourceClaimTemplateSpec) { spec.Labels[note] = "changed" },
		} {
			err := changeTemplate(ctx, e, "template", func(template *resourceapi.ResourceClaimTemplate) { change(&template.Spec) })
			gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.HavePrefix("spec")), "the API server should reject an update of a template that changes %s: %v", what, err)
		}
	},
}

// changeTemplate updates a template. Something in the cluster may add labels to it at any time.
func changeTemplate(ctx context.Context, e *env.Env, name string, change func(*resourceapi.ResourceClaimTemplate)) error {
	templates := e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		template, err := templates.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(template)
		_, err = templates.Update(ctx, template, metav1.UpdateOptions{})
		return err
	})
}
