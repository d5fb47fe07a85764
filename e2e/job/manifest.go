// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/manifests"
)

// Render returns the objects of a Job as YAML.
func Render(o Options) ([]byte, error) {
	objects, err := Objects(o)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, object := range objects {
		if i > 0 {
			out.WriteString("---\n")
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, fmt.Errorf("convert %T: %w", object, err)
		}
		// The API types always encode a status.
		delete(fields, "status")
		document, err := yaml.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("encode %T: %w", object, err)
		}
		out.Write(document)
	}
	return out.Bytes(), nil
}

// read returns the objects of a manifest. Unknown fields are errors.
func read(file string) ([]runtime.Object, error) {
	data, err := manifests.FS.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	var out []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("manifest %s: %w", file, err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("manifest %s: %w", file, err)
		}
		out = append(out, object)
	}
}
