// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Validate checks what the types of the fields do not express. The error lists
// all problems, each on its own line with the field.
func (d *Driver) Validate() error {
	v := &validator{driver: d}
	v.name("name", d.Name)
	v.implementation()
	v.daemonSet()
	v.pods()
	v.roles()
	v.containers()
	return errors.Join(v.problems...)
}

// validator collects the problems of a driver.
type validator struct {
	driver   *Driver
	problems []error
}

func (v *validator) problem(path, format string, args ...any) {
	v.problems = append(v.problems, v.driver.document.Errorf(path, format, args...))
}

// is records the first of the reasons why a text is invalid, if there is one.
func (v *validator) is(path, text string, reasons []string) {
	if len(reasons) > 0 {
		v.problem(path, "%q is not valid: %s", text, reasons[0])
	}
}

func (v *validator) notEmpty(path, text string) {
	if strings.TrimSpace(text) == "" {
		v.problem(path, "must not be empty")
	}
}

// name validates the name of a driver.
func (v *validator) name(path, name string) {
	if len(name) > resourceapi.DriverNameMaxLength {
		v.problem(path, "has %d characters, at most %d are possible", len(name), resourceapi.DriverNameMaxLength)
	}
	v.is(path, name, validation.IsDNS1123Subdomain(name))
}

// objectName validates the name of an object in a cluster.
func (v *validator) objectName(path, name string) {
	v.is(path, name, validation.IsDNS1123Subdomain(name))
}

func (v *validator) image(path, image string) {
	if _, err := reference.ParseAnyReference(image); err != nil {
		v.problem(path, "%q is no image: %w", image, err)
	}
}

func (v *validator) implementation() {
	i := v.driver.Implementation
	if i == nil {
		return
	}
	const path = "implementation"
	v.notEmpty(path+".organization", i.Organization)
	v.notEmpty(path+".project", i.Project)
	v.notEmpty(path+".version", i.Version)
	if address, err := url.Parse(i.URL); err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		v.problem(path+".url", "%q is no web page, use one such as https://example.com", i.URL)
	}
	if len(i.Contact) == 0 {
		v.problem(path+".contact", "must not be empty")
	}
	for _, contact := range i.Contact {
		v.notEmpty(path+".contact", contact)
	}
}

func (v *validator) daemonSet() {
	set, allow := v.driver.DaemonSet, v.driver.Allow
	if set != nil {
		v.is("daemonSet.namespace", set.Namespace, validation.IsDNS1123Label(set.Namespace))
		v.objectName("daemonSet.name", set.Name)
		if set.Container != "" {
			v.is("daemonSet.container", set.Container, validation.IsDNS1123Label(set.Container))
		}
	} else if allow.Restart || allow.Logs || allow.Update != nil {
		v.problem("allow", "needs daemonSet, to know of which pods")
	}
	if allow.Update != nil {
		v.image("allow.update.image", allow.Update.Image)
	}
}

// ownLabels is the domain of labels that the suite sets itself.
const ownLabels = "draconform.dev/"

func (v *validator) pods() {
	pods := v.driver.Pods
	v.labels("pods.nodeSelector", pods.NodeSelector)
	v.labels("pods.labels", pods.Labels)
	for _, key := range slices.Sorted(maps.Keys(pods.Labels)) {
		if strings.HasPrefix(key, ownLabels) {
			v.problem("pods.labels["+key+"]", "labels of %s are set by the suite", strings.TrimSuffix(ownLabels, "/"))
		}
	}
	for i := range pods.Tolerations {
		v.toleration(indexed("pods.tolerations", i), pods.Tolerations[i])
	}
	if pods.RuntimeClassName != "" {
		v.objectName("pods.runtimeClassName", pods.RuntimeClassName)
	}
	if pods.Image != "" {
		v.image("pods.image", pods.Image)
	}
	for i, secret := range pods.ImagePullSecrets {
		v.objectName(indexed("pods.imagePullSecrets", i), secret)
	}
}

func (v *validator) labels(path string, labels map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		v.is(path+"["+key+"]", key, validation.IsQualifiedName(key))
		v.is(path+"["+key+"]", labels[key], validation.IsValidLabelValue(labels[key]))
	}
}

func (v *validator) toleration(path string, t corev1.Toleration) {
	operators := []corev1.TolerationOperator{"", corev1.TolerationOpEqual, corev1.TolerationOpExists}
	effects := []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	switch {
	case !slices.Contains(operators, t.Operator):
		v.problem(path+".operator", "%q is not known, use %s or %s", t.Operator, corev1.TolerationOpEqual, corev1.TolerationOpExists)
	case !slices.Contains(effects, t.Effect):
		v.problem(path+".effect", "%q is not known, use %s, %s or %s", t.Effect, effects[1], effects[2], effects[3])
	case t.Key == "" && t.Operator != corev1.TolerationOpExists:
		v.problem(path, "needs a key, unless the operator is %s", corev1.TolerationOpExists)
	}
}

// variables matches what looks like a variable.
var variables = regexp.MustCompile(`\$\([^)]*\)`)

// expand returns a text with the name of the driver. It reports whether the
// text has no other variables.
func (v *validator) expand(path, text string) (string, bool) {
	for _, variable := range variables.FindAllString(text, -1) {
		if variable != nameVariable {
			v.problem(path, "%s is not known, only %s is", variable, nameVariable)
			return "", false
		}
	}
	return v.driver.Expand(text), true
}
