// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// digestField is the field of a report that has its digest.
const digestField = "digest"

// Digest returns the digest of the content of a report: "sha256:" and the
// SHA-256 in hexadecimal of the content as JSON, without the field digest, with
// sorted keys and without spaces between them. The digest therefore does not
// change with the order of fields, comments and line ends, and does not depend
// on which fields this version of draconform knows. Everybody can compute it:
// it shows that a report was edited by accident or carelessly, and does not
// protect from forgery.
func Digest(content []byte) (string, error) {
	var fields map[string]any
	// Numbers are not converted, because their digits are content.
	if err := yaml.UnmarshalStrict(content, &fields, useNumber); err != nil {
		return "", fmt.Errorf("compute the digest of a report: %w", err)
	}
	delete(fields, digestField)
	var canonical bytes.Buffer
	encoder := json.NewEncoder(&canonical) // It sorts keys.
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fields); err != nil {
		return "", fmt.Errorf("compute the digest of a report: %w", err)
	}
	sum := sha256.Sum256(bytes.TrimSuffix(canonical.Bytes(), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func useNumber(d *json.Decoder) *json.Decoder {
	d.UseNumber()
	return d
}
