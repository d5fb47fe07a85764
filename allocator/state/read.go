// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Stdin is the path for standard input.
const Stdin = "-"

// suffixes are the names of files that are read in a folder.
var suffixes = []string{".yaml", ".yml", ".json"}

// Read reads files and folders. Of a folder it reads the files that end in .yaml, .yml or .json, sorted by
// name, without subfolders. A file is YAML or JSON, with one or more documents. Kinds that end in List are
// split into their items. Versions v1beta1 and v1beta2 are converted. Unknown or duplicate fields are errors,
// like everything else that cannot be decoded. In case of an error no objects are returned. The error contains
// the file and the document.
func Read(paths []string, stdin io.Reader) (*Objects, error) {
	objects := &Objects{}
	for _, path := range paths {
		files, err := expand(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if err := objects.readFile(file, stdin); err != nil {
				return nil, err
			}
		}
	}
	return objects, nil
}

// expand returns the files of a folder, or the path itself.
func expand(path string) ([]string, error) {
	if path == Stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && slices.Contains(suffixes, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("read %s: no file ends in %s", path, strings.Join(suffixes, ", "))
	}
	return files, nil
}

func (o *Objects) readFile(file string, stdin io.Reader) error {
	var data []byte
	var err error
	if file == Stdin {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	next := documents(data)
	for n := 1; ; n++ {
		origin := Origin{File: file, Document: n}
		document, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = o.decode(document, origin)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", origin, err)
		}
	}
}

// documents returns a function that returns the next document that is not empty as JSON, and io.EOF at the end.
func documents(data []byte) func() ([]byte, error) {
	if isJSON(data) {
		stream := json.NewDecoder(bytes.NewReader(data))
		return func() ([]byte, error) {
			var raw json.RawMessage
			err := stream.Decode(&raw)
			return raw, err
		}
	}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	return func() ([]byte, error) {
		for {
			text, err := reader.Read()
			if err != nil {
				return nil, err
			}
			document, err := yaml.YAMLToJSONStrict(text)
			if err != nil {
				return nil, err
			}
			if string(document) != "null" {
				return document, nil
			}
		}
	}
}

// isJSON reports whether data is JSON, possibly truncated. YAML may begin with the same brace.
func isJSON(data []byte) bool {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return false
	}
	stream := json.NewDecoder(bytes.NewReader(data))
	for {
		var raw json.RawMessage
		if err := stream.Decode(&raw); err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
