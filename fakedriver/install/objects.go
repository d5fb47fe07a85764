// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/manifests"
)

// manifest is a file with the objects of an installation, and the driver name and
// the image that are used in the file.
type manifest struct{ file, driver, image string }

var (
	nodeManifest      = manifest{"fakedriver.yaml", DefaultDriverName, DefaultImage}
	multiHostManifest = manifest{"multihost.yaml", DefaultMultiHostDriverName, DefaultImage}
	classicManifest   = manifest{"classic.yaml", DefaultClassicDriverName, DefaultClassicImage}
)

func (o Options) manifest() manifest {
	switch {
	case o.Classic != "":
		return classicManifest
	case o.Devices.Topology != "":
		return multiHostManifest
	}
	return nodeManifest
}

// objects returns the objects to install except the Secret, in the order in
// which they are created.
func (o Options) objects() ([]runtime.Object, error) {
	objects, err := o.read(o.manifest())
	if file, _ := o.described(); err != nil || file == "" {
		return objects, err
	}
	return append([]runtime.Object{o.description()}, objects...), nil
}

// everything returns all objects that an installation may consist of,
// regardless of the options for devices.
func (o Options) everything() ([]runtime.Object, error) {
	out := []runtime.Object{o.secret(""), o.description()}
	for _, m := range []manifest{nodeManifest, multiHostManifest, classicManifest} {
		objects, err := o.read(m)
		if err != nil {
			return nil, err
		}
		out = append(out, objects...)
	}
	return out, nil
}

// read returns the objects of a manifest, changed according to the options.
func (o Options) read(m manifest) ([]runtime.Object, error) {
	data, err := manifests.FS.ReadFile(m.file)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	objects, err := decode(data, m.driver, o.DriverName)
	for _, object := range objects {
		err = errors.Join(err, o.adapt(object))
	}
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", m.file, err)
	}
	return objects, nil
}

// decode decodes YAML documents and rejects unknown fields. It replaces the
// driver name of the manifest. That name is also the name of objects and of a
// directory and a part of expressions. It is the same string everywhere, and
// the string has no other use in the manifests.
func decode(data []byte, driver, name string) ([]runtime.Object, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	var out []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("split documents: %w", err)
		}
		// In JSON, a driver name is always quoted and cannot be decoded as
		// another type than a string.
		document, err = yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, fmt.Errorf("decode document: %w", err)
		}
		object, _, err := decoder.Decode(bytes.ReplaceAll(document, []byte(driver), []byte(name)), nil, nil)
		if err != nil {
			return nil, fmt.Errorf("decode document: %w", err)
		}
		out = append(out, object)
	}
}

// adapt applies the options to an object. The driver's name is already set.
func (o Options) adapt(object runtime.Object) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	addLabels(accessor, o.labels())
	if accessor.GetNamespace() != "" {
		accessor.SetNamespace(o.Namespace)
	}
	switch typed := object.(type) {
	case *rbacv1.ClusterRoleBinding:
		o.adaptSubjects(typed.Subjects)
	case *rbacv1.RoleBinding:
		o.adaptSubjects(typed.Subjects)
	case *admissionv1.ValidatingAdmissionPolicy:
		for i, condition := range typed.Spec.MatchConditions {
			typed.Spec.MatchConditions[i].Expression = strings.ReplaceAll(condition.Expression,
				"system:serviceaccount:default:", "system:serviceaccount:"+o.Namespace+":")
		}
	case *appsv1.Deployment:
		o.adaptPods(&typed.Spec.Template, o.controllerFlags())
	case *appsv1.DaemonSet:
		o.adaptPods(&typed.Spec.Template, o.pluginFlags())
		o.adaptUpdates(&typed.Spec)
	}
	return nil
}

func (o Options) adaptSubjects(subjects []rbacv1.Subject) {
	for i := range subjects {
		subjects[i].Namespace = o.Namespace
	}
}

func (o Options) adaptPods(pod *corev1.PodTemplateSpec, flags map[string]string) {
	addLabels(pod, o.labels())
	container := &pod.Spec.Containers[0]
	container.Image = o.Image
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		container.Args = setFlag(container.Args, name, flags[name])
	}
	o.mountDescription(pod)
}

// adaptUpdates lets pods of the driver overlap on a node during a rollout if
// the options allow it.
func (o Options) adaptUpdates(set *appsv1.DaemonSetSpec) {
	if o.Overlap > 0 {
		// The DaemonSet controller deletes the old pod as soon as the new one
		// is ready. The hook delays its termination.
		delay := &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: int64(o.Overlap / time.Second)}}
		set.Template.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: delay}
	}
	if o.Surge {
		set.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: ptr.To(intstr.FromInt32(1)), MaxUnavailable: ptr.To(intstr.FromInt32(0))}
	}
}

// setFlag changes the value of a flag, or appends the flag.
func setFlag(args []string, name, value string) []string {
	arg := name + "=" + value
	for i := range args {
		if strings.HasPrefix(args[i], name+"=") {
			args[i] = arg
			return args
		}
	}
	return append(args, arg)
}

func addLabels(object metav1.Object, labels map[string]string) {
	all := maps.Clone(labels)
	for name, value := range object.GetLabels() {
		if _, ok := all[name]; !ok {
			all[name] = value
		}
	}
	object.SetLabels(all)
}
