import json


def test_export_writes_a_version_and_names_its_folder(keras_absa, model_folder, tmp_path):
    described = json.loads(keras_absa("export", model_folder, tmp_path / "shop", "--json").stdout)
    version = tmp_path / "shop" / "1"
    assert described["name"] == "shop" and described["saved_model"] == str(version) and described["version"] == "1"
    assert (version / "saved_model.pb").is_file()
