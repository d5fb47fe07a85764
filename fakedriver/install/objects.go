package install

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/draconform/draconform/manifests"
)

// manifest is what is installed.
const manifest = "fakedriver.yaml"

// objects returns the objects of the manifest as the options want them, in the
// order in which they are created.
func (o Options) objects() ([]runtime.Object, error) {
	data, err := manifests.FS.ReadFile(manifest)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	// The driver's name also is the name of objects, of a directory and a
	// part of an expression. It is the same word everywhere, and no word
	// that would appear for another reason.
	data = bytes.ReplaceAll(data, []byte(DefaultDriverName), []byte(o.DriverName))
	out, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", manifest, err)
	}
	for _, object := range out {
		if err := o.adapt(object); err != nil {
			return nil, fmt.Errorf("manifest %s: %w", manifest, err)
		}
	}
	return out, nil
}

// decode reads YAML documents and takes no unknown fields.
func decode(data []byte) ([]runtime.Object, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	var out []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("split documents: %w", err)
		}
		if strings.TrimSpace(string(document)) == "" {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("decode document: %w", err)
		}
		out = append(out, object)
	}
}

// adapt changes what the options say about an object beside the driver's name.
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
		for i := range typed.Subjects {
			typed.Subjects[i].Namespace = o.Namespace
		}
	case *appsv1.DaemonSet:
		addLabels(&typed.Spec.Template, o.labels())
		for i := range typed.Spec.Template.Spec.Containers {
			typed.Spec.Template.Spec.Containers[i].Image = o.Image
		}
	}
	return nil
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
