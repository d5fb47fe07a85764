// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/draconform/draconform/internal/strictyaml"
)

// Read decodes and validates the drivers in files. The error lists all
// problems, each on its own line.
func Read(paths ...string) ([]*Driver, error) {
	var all []*Driver
	var problems []error
	described := map[string]string{} // positions by name
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			problems = append(problems, fmt.Errorf("read a driver file: %w", err))
			continue
		}
		drivers, err := Decode(path, content)
		problems = append(problems, err)
		for _, d := range drivers {
			if first := described[d.Name]; first != "" {
				problems = append(problems, d.document.Errorf("name", "driver %s is already described in %s", d.Name, first))
			}
			described[d.Name] = d.Position("name")
			problems = append(problems, d.Validate())
		}
		all = append(all, drivers...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// Decode decodes the drivers in a file. It checks fields and types, and not
// what [Driver.Validate] does. The name of the file is part of errors and of
// positions; it may be empty.
func Decode(file string, content []byte) ([]*Driver, error) {
	documents, err := strictyaml.Parse(file, content)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 {
		return nil, fmt.Errorf("%s: no document of the kind %s", cmp.Or(file, "driver file"), Kind)
	}
	var drivers []*Driver
	var problems []error
	for _, document := range documents {
		d, err := decode(document)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		drivers = append(drivers, d)
	}
	return drivers, errors.Join(problems...)
}

func decode(document *strictyaml.Document) (*Driver, error) {
	// The fields of another version or kind would only lead to many errors.
	if version := document.Field("apiVersion"); version != APIVersion {
		return nil, document.Errorf("apiVersion", "%q is not known, use %s", version, APIVersion)
	}
	if kind := document.Field("kind"); kind != Kind {
		return nil, document.Errorf("kind", "%q is not known, use %s", kind, Kind)
	}
	d := &Driver{document: document}
	if err := document.Decode(d); err != nil {
		return nil, err
	}
	return d, nil
}
